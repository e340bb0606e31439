import { OverloadedError } from "allspeak";
import { memoryState } from "allspeak/http";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

const longMs = 600_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());

describe("the values of memory", () => {
  it("are refused when they are too long together", () => {
    const { values } = memoryState({ maxValueChars: 100 });
    void values.put("a", "x".repeat(60), longMs);
    expect(() => values.put("b", "x".repeat(41), longMs)).toThrow(OverloadedError);
    expect(() => values.add("b", "x".repeat(41), longMs)).toThrow("maxValueChars");
    void values.put("b", "x".repeat(40), longMs);
    expect(values.get("a")).toHaveLength(60);
  });

  it("make room when they are removed, replaced or expired", () => {
    const { values } = memoryState({ maxValueChars: 100 });
    void values.put("a", "x".repeat(100), longMs);
    void values.remove("a");
    void values.put("b", "x".repeat(50), longMs);
    void values.put("b", "x".repeat(10), longMs);
    void values.put("c", "x".repeat(90), 1000);
    vi.advanceTimersByTime(1000);
    void values.put("d", "x".repeat(90), longMs);
    expect(values.get("d")).toHaveLength(90);
  });

  it("always have room for what is empty, such as a nonce that was spent", () => {
    const { values } = memoryState({ maxValueChars: 100 });
    void values.put("a", "x".repeat(100), longMs);
    expect(values.add("nonce", "", longMs)).toBe(true);
    expect(values.add("nonce", "", longMs)).toBe(false);
  });

  it("of the largest holder are refused first, by their length and by their number", () => {
    const long = memoryState({ maxValueChars: 100 }).values;
    for (let n = 0; n < 10; n++) {
      if (n < 5) void long.put(`${n}`, "x".repeat(10), longMs, "greedy");
      else expect(() => long.put(`${n}`, "x".repeat(10), longMs, "greedy")).toThrow(OverloadedError);
    }
    void long.put("modest", "x".repeat(20), longMs, "modest");
    // A shorter value takes the place of a longer one, however little is free.
    void long.put("0", "x".repeat(5), longMs, "greedy");
    expect(() => long.put("1", "x".repeat(20), longMs, "greedy")).toThrow(OverloadedError);
    const many = memoryState({ maxValues: 4 }).values;
    expect(many.add("a", "", longMs, "greedy")).toBe(true);
    expect(many.add("b", "", longMs, "greedy")).toBe(true);
    expect(() => many.add("c", "", longMs, "greedy")).toThrow(OverloadedError);
    expect(many.add("c", "", longMs, "modest")).toBe(true);
    void many.remove("a");
    expect(many.add("d", "", longMs, "greedy")).toBe(true);
  });

  it("stay within their limit whatever happens, and use all of it", () => {
    const step = fc.record({
      key: fc.constantFrom("a", "b", "c", "d"),
      chars: fc.nat(60),
      does: fc.constantFrom("put", "add", "remove", "wait", "get"),
      holder: fc.constantFrom(undefined, "one", "two"),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { values } = memoryState({ maxValueChars: 100 });
        for (const { key, chars, does, holder } of steps) {
          try {
            if (does === "wait") vi.advanceTimersByTime(chars * 50);
            else if (does === "put" || does === "add")
              void values[does](key, "x".repeat(chars), 1000, holder);
            else void values[does](key);
          } catch (error) {
            expect(error).toBeInstanceOf(OverloadedError);
          }
          const kept = ["a", "b", "c", "d"].map((name) => values.get(name) as string | undefined);
          expect(kept.reduce((sum, value) => sum + (value?.length ?? 0), 0)).toBeLessThanOrEqual(100);
        }
        vi.advanceTimersByTime(2000);
        void values.put("all", "x".repeat(100), 1000);
        expect(values.get("all")).toHaveLength(100);
      }),
      { numRuns: 500 },
    );
  });
});
