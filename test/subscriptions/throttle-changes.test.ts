import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { throttleChanges } from "../../src/client/subscriptions/throttle-changes.ts";
import type { Change } from "../../src/contract/server-event.ts";

describe("the pace of changes", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function start() {
    const told: Change[] = [];
    return { told, pace: throttleChanges((change) => told.push(change)) };
  }

  test("tells two at once, and the last of many a second later", () => {
    const { told, pace } = start();
    for (let n = 0; n < 10_000; n++) pace.onChange({ kind: "tools" });
    expect(told).toHaveLength(2);
    vi.advanceTimersByTime(1_000);
    expect(told).toHaveLength(3);
    vi.advanceTimersByTime(10_000);
    expect(told).toHaveLength(3);
    expect(vi.getTimerCount()).toBe(0);
    pace.onChange({ kind: "tools" });
    expect(told).toHaveLength(4);
  });

  test("is once a second through a flood of ten", () => {
    const { told, pace } = start();
    for (let ms = 0; ms < 10_000; ms++) {
      pace.onChange({ kind: "tools" });
      vi.advanceTimersByTime(1);
    }
    expect(told).toHaveLength(12);
  });

  test("is kept for each list by itself, and not for resources", () => {
    const { told, pace } = start();
    for (const kind of ["tools", "prompts", "resources"] as const) pace.onChange({ kind });
    for (const uri of ["a:b", "a:c", "a:b"]) pace.onChange({ kind: "resource", uri });
    expect(told).toHaveLength(6);
  });

  test("ends when nobody listens any more", () => {
    const { told, pace } = start();
    for (let n = 0; n < 3; n++) pace.onChange({ kind: "tools" });
    pace.stop();
    vi.advanceTimersByTime(5_000);
    expect(told).toHaveLength(2);
    expect(vi.getTimerCount()).toBe(0);
  });
});
