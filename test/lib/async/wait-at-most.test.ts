import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { settlesWithin, waitAtMost } from "../../../src/lib/async/wait-at-most.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

const never = new Promise<string>(() => {});

it("gives the outcome of a promise that settles in time", async () => {
  expect(await waitAtMost(10, Promise.resolve("done"), () => "late")).toBe("done");
  await expect(waitAtMost(10, Promise.reject(new Error("broken")), () => "late")).rejects.toThrow("broken");
});

it("gives what onLate returns, or throws it, when the time is up", async () => {
  const late = waitAtMost(10, never, () => "late");
  const thrown = waitAtMost(10, never, () => {
    throw new Error("too late");
  });
  thrown.catch(() => {});
  await vi.advanceTimersByTimeAsync(10);
  expect(await late).toBe("late");
  await expect(thrown).rejects.toThrow("too late");
});

it("says whether a promise is fulfilled in time", async () => {
  expect(await settlesWithin(10, Promise.resolve())).toBe(true);
  const late = settlesWithin(10, never);
  await vi.advanceTimersByTimeAsync(10);
  expect(await late).toBe(false);
});
