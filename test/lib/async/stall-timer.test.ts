import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { StallTimer } from "../../../src/lib/async/stall-timer.ts";

describe("the timer of a slow reader", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test("fires once, and counts from the first start", () => {
    const onStall = vi.fn();
    const timer = new StallTimer({ stallMs: 100, onStall });
    timer.start();
    vi.advanceTimersByTime(60);
    timer.start();
    vi.advanceTimersByTime(39);
    expect(onStall).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1_000);
    expect(onStall).toHaveBeenCalledTimes(1);
  });

  test("does not fire once the buffer has drained", () => {
    const onStall = vi.fn();
    const timer = new StallTimer({ stallMs: 100, onStall });
    timer.start();
    timer.stop();
    vi.advanceTimersByTime(1_000);
    expect(onStall).not.toHaveBeenCalled();
  });

  test("counts from zero when the reader is known to have taken something", () => {
    const onStall = vi.fn();
    const timer = new StallTimer({ stallMs: 100, onStall });
    timer.start();
    vi.advanceTimersByTime(60);
    timer.restart();
    vi.advanceTimersByTime(99);
    expect(onStall).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(onStall).toHaveBeenCalledTimes(1);
  });

  test("gives a reader that took something the same time again", () => {
    const onStall = vi.fn();
    let unread = 10;
    const timer = new StallTimer({ stallMs: 100, onStall, unread: () => unread });
    timer.start();
    unread = 9;
    vi.advanceTimersByTime(199);
    expect(onStall).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(onStall).toHaveBeenCalledTimes(1);
  });

  test("stops by itself when the reader took everything", () => {
    const onStall = vi.fn();
    let unread = 10;
    const timer = new StallTimer({ stallMs: 100, onStall, unread: () => unread });
    timer.start();
    unread = 0;
    vi.advanceTimersByTime(1_000);
    expect(onStall).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });
});
