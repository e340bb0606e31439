import { afterEach, expect, it, vi } from "vitest";
import {
  afterAwake,
  longestDelayMs,
  runLater,
  startBackgroundTimer,
  unreferenced,
} from "../../../src/lib/async/timers.ts";

afterEach(() => void vi.useRealTimers());

it("keeps no process alive", () => {
  const timers = [runLater(() => {}, 60_000), startBackgroundTimer(() => {}, 60_000)];
  for (const timer of timers) {
    expect(timer.hasRef()).toBe(false);
    clearTimeout(timer);
  }
});

it("takes the number that a browser gives for a timer", () => {
  expect(unreferenced(7)).toBe(7);
});

it("runs once later, or again and again", () => {
  vi.useFakeTimers();
  const once = vi.fn();
  const often = vi.fn();
  runLater(once, 10);
  const timer = startBackgroundTimer(often, 10);
  vi.advanceTimersByTime(35);
  expect(once).toHaveBeenCalledTimes(1);
  expect(often).toHaveBeenCalledTimes(3);
  clearInterval(timer);
});

it("knows the longest delay that does not fire at once", async () => {
  const fired = vi.fn();
  const timer = setTimeout(fired, longestDelayMs);
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(fired).not.toHaveBeenCalled();
  clearTimeout(timer);
});

it("runs once after a time awake, unless it was stopped", () => {
  vi.useFakeTimers();
  const run = vi.fn();
  const stopped = vi.fn();
  afterAwake(800, run);
  const stop = afterAwake(800, stopped);
  vi.advanceTimersByTime(799);
  expect(run).not.toHaveBeenCalled();
  stop();
  vi.advanceTimersByTime(10_000);
  expect(run).toHaveBeenCalledTimes(1);
  expect(stopped).not.toHaveBeenCalled();
});
