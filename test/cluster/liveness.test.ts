import { memoryState } from "allspeak/http";
import { expect, it, onTestFinished, vi } from "vitest";
import { Liveness } from "../../src/cluster/liveness.ts";
import { withAvailability } from "../../src/state/store-availability.ts";

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

it.each([-3_600_000, 0, 3_600_000])(
  "a node that can't reach the store doubts that others take it for alive, with a clock that was set by %i ms",
  async (byMs) => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { values } = memoryState();
    const put = vi.spyOn(values, "put");
    const liveness = new Liveness(values, "cut off", () => {});
    await liveness.renew();
    expect(liveness.isDoubtful).toBe(false);
    put.mockRejectedValue(new Error("away"));
    await expect(liveness.renew()).rejects.toThrow("away");
    vi.setSystemTime(Date.now() + byMs);
    await vi.advanceTimersByTimeAsync(9_000);
    expect(liveness.isDoubtful).toBe(true);
  },
);

it("a node whose machine slept doubts that others take it for alive, though its monotonic clock stood still", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const liveness = new Liveness(memoryState().values, "asleep", () => {});
  await liveness.renew();
  vi.setSystemTime(Date.now() + 9_000);
  expect(liveness.isDoubtful).toBe(true);
  await liveness.renew();
  expect([liveness.isDoubtful, liveness.returns]).toEqual([false, 1]);
});

it("a node stays alive for others, though a busy store never answers one of its renewals", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const memory = memoryState();
  const { values } = withAvailability({ ...memory, isShared: true });
  const put = vi.spyOn(memory.values, "put");
  const busy = new Liveness(values, "busy", () => {});
  onTestFinished(() => busy.close());
  busy.start();
  await vi.advanceTimersByTimeAsync(1_000);
  put.mockReturnValueOnce(new Promise<void>(() => {}));
  for (let time = 0; time < 30; time++) {
    await vi.advanceTimersByTimeAsync(500);
    expect(await values.get("node/busy")).toBe("");
  }
  expect(put.mock.calls.length).toBeGreaterThan(4);
});
