import { memoryState } from "allspeak/http";
import { expect, it, onTestFinished, vi } from "vitest";
import { Liveness } from "../../src/cluster/liveness.ts";

it("a node that is gone is found to be so, though the clock of the machine that looks was set back by an hour", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const liveness = new Liveness(memoryState().values, "looking", () => {});
  onTestFinished(() => liveness.close());
  liveness.start();
  // One that has just started does not know whether the store was away.
  expect(await liveness.isAlive("gone")).toBe(true);
  vi.setSystemTime(Date.now() - 3_600_000);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await liveness.isAlive("gone")).toBe(false);
});
