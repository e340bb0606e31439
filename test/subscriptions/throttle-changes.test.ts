import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { throttleChanges } from "../../src/client/subscriptions/throttle-changes.ts";
import type { Change } from "../../src/contract/server-event.ts";

describe("the throttle of changes", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function start() {
    const notified: Change[] = [];
    return { notified, throttle: throttleChanges((change) => notified.push(change)) };
  }

  test("lets two through at once, and the last of many a second later", () => {
    const { notified, throttle } = start();
    for (let n = 0; n < 10_000; n++) throttle.onChange({ kind: "tools" });
    expect(notified).toHaveLength(2);
    vi.advanceTimersByTime(1_000);
    expect(notified).toHaveLength(3);
    vi.advanceTimersByTime(10_000);
    expect(notified).toHaveLength(3);
    expect(vi.getTimerCount()).toBe(0);
    throttle.onChange({ kind: "tools" });
    expect(notified).toHaveLength(4);
  });

  test("is once a second through a flood of ten", () => {
    const { notified, throttle } = start();
    for (let ms = 0; ms < 10_000; ms++) {
      throttle.onChange({ kind: "tools" });
      vi.advanceTimersByTime(1);
    }
    expect(notified).toHaveLength(12);
  });

  test("is kept for each list by itself, and not for resources", () => {
    const { notified, throttle } = start();
    for (const kind of ["tools", "prompts", "resources"] as const) throttle.onChange({ kind });
    for (const uri of ["a:b", "a:c", "a:b"]) throttle.onChange({ kind: "resource", uri });
    expect(notified).toHaveLength(6);
  });

  test("ends when nobody listens any more", () => {
    const { notified, throttle } = start();
    for (let n = 0; n < 3; n++) throttle.onChange({ kind: "tools" });
    throttle.stop();
    vi.advanceTimersByTime(5_000);
    expect(notified).toHaveLength(2);
    expect(vi.getTimerCount()).toBe(0);
  });
});
