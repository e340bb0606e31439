import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { sleep } from "../../../src/lib/async/sleep.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("resolves after its time, not before", async () => {
  const done = vi.fn();
  const slept = sleep(100).then(done);
  await vi.advanceTimersByTimeAsync(99);
  expect(done).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  await slept;
});

it("rejects with the reason of the signal, at once, and leaves no timer", async () => {
  const controller = new AbortController();
  const slept = sleep(100, controller.signal);
  controller.abort("enough");
  await expect(slept).rejects.toBe("enough");
  await expect(sleep(100, controller.signal)).rejects.toBe("enough");
  expect(vi.getTimerCount()).toBe(0);
});

it("ends early when it is woken", async () => {
  let wake = () => {};
  const slept = sleep(100, new AbortController().signal, (end) => {
    wake = end;
  });
  wake();
  await slept;
  expect(vi.getTimerCount()).toBe(0);
});
