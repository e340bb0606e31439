import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { SharedDeadline } from "../../../src/transports/http/server/shared-deadline.ts";

describe("a deadline that many share", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("tells whoever waits for too long, once, and not much later than it should", () => {
    const deadline = new SharedDeadline(800);
    const told: string[] = [];
    deadline.start(() => told.push("first"));
    vi.advanceTimersByTime(450);
    deadline.start(() => told.push("second"));
    vi.advanceTimersByTime(349);
    expect(told).toEqual([]);
    vi.advanceTimersByTime(101);
    expect(told).toEqual(["first"]);
    vi.advanceTimersByTime(349);
    expect(told).toEqual(["first"]);
    vi.advanceTimersByTime(101);
    expect(told).toEqual(["first", "second"]);
    vi.advanceTimersByTime(10_000);
    expect(told).toEqual(["first", "second"]);
  });

  it("tells nobody who has stopped waiting", () => {
    const deadline = new SharedDeadline(800);
    const onOverdue = vi.fn();
    deadline.start(onOverdue).stop();
    vi.advanceTimersByTime(10_000);
    expect(onOverdue).not.toHaveBeenCalled();
  });

  it("leaves no timer behind when nobody waits", () => {
    const deadline = new SharedDeadline(800);
    const onOverdue = () => {};
    const wait = deadline.start(onOverdue);
    expect(vi.getTimerCount()).toBe(1);
    wait.stop();
    vi.advanceTimersByTime(100);
    expect(vi.getTimerCount()).toBe(0);
    deadline.start(onOverdue);
    expect(vi.getTimerCount()).toBe(1);
  });
});
