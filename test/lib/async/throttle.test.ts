import { afterEach, expect, it, vi } from "vitest";
import { Throttle } from "../../../src/lib/async/throttle.ts";

afterEach(() => void vi.useRealTimers());

it("lets work through at once, and then once in a time", () => {
  vi.useFakeTimers();
  const throttle = new Throttle(100);
  expect([throttle.isDue(), throttle.isDue()]).toEqual([true, false]);
  vi.advanceTimersByTime(99);
  expect(throttle.isDue()).toBe(false);
  vi.advanceTimersByTime(1);
  expect([throttle.isDue(), throttle.isDue()]).toEqual([true, false]);
});
