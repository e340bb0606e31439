import { expect, it, onTestFinished, vi } from "vitest";
import { eventually } from "../../src/testing/state/contract-case.ts";

it("a case of the contract looks once more after a process stood still for longer than its patience", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  let looks = 0;
  const found = eventually("expiry", () => {
    vi.setSystemTime(Date.now() + 60_000);
    return looks++ > 0;
  });
  await expect(found).resolves.toBe(true);
});

it("a case of the contract fails when its patience is over", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const found = eventually("expiry", () => {
    vi.setSystemTime(Date.now() + 60_000);
    return false;
  });
  await expect(found).rejects.toThrow("expiry: not within 15000 ms.");
});
