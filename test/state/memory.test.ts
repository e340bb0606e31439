import { memoryState, type StoredEvent, streamStart } from "allspeak/http";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

const longMs = 600_000;

describe("the events of memory", () => {
  it("are dropped from the beginning when there are too many, and never the newest", () => {
    const { events } = memoryState({ maxEvents: 3 });
    for (let at = 1; at <= 10; at++) void events.append("a", [`e${at}`], longMs);
    expect(events.after("a", streamStart)).toEqual(
      [8, 9, 10].map((at) => ({ offset: String(at), text: `e${at}` })),
    );
    expect(events.after("a", "9")).toEqual([{ offset: "10", text: "e10" }]);
  });

  it("are dropped when they are too long together, but an answer is kept however long it is", () => {
    const { events } = memoryState({ maxChars: 10 });
    void events.append("a", ["12345"], longMs);
    void events.append("a", ["67890"], longMs);
    expect(events.after("a", streamStart)).toHaveLength(2);
    void events.append("a", ["x".repeat(1000)], longMs);
    expect(events.after("a", streamStart)).toEqual([{ offset: "3", text: "x".repeat(1000) }]);
  });

  it("take from others what is too much for all, and leave their numbers", () => {
    const { events } = memoryState({ maxTotalChars: 10 });
    void events.append("old", ["12345"], longMs);
    void events.append("new", ["1234567"], longMs);
    expect(events.after("old", streamStart)).toEqual([]);
    expect(events.after("old", "1")).toEqual([]);
    expect(events.after("old", "2")).toBeUndefined();
    expect(events.append("old", ["x"], longMs)).toBe("2");
  });

  it("are taken from the session with the most, not from the oldest", () => {
    const { events } = memoryState({ maxTotalChars: 20 });
    void events.append("honest/1", ["123"], longMs);
    for (let n = 0; n < 50; n++) void events.append(`flood/${n}`, ["1234"], longMs);
    expect(events.after("honest/1", streamStart)).toHaveLength(1);
    for (let n = 0; n < 50; n++) void events.append("flood/one", ["1234"], longMs);
    expect(events.after("honest/1", streamStart)).toHaveLength(1);
    expect(events.after("flood/one", "49")).toHaveLength(1);
    void events.append("other/1", ["12345"], longMs);
    expect(events.after("honest/1", streamStart)).toHaveLength(1);
    expect(events.after("other/1", streamStart)).toHaveLength(1);
  });

  it("stay within their limits whatever happens", () => {
    const step = fc.record({
      stream: fc.constantFrom("a", "b", "c"),
      chars: fc.nat(40),
      removes: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { events } = memoryState({ maxEvents: 5, maxChars: 60, maxTotalChars: 100 });
        for (const { stream, chars, removes } of steps) {
          if (removes) void events.remove(stream);
          else void events.append(stream, ["x".repeat(chars)], longMs);
          const kept = ["a", "b", "c"].map((name) => events.after(name, streamStart) as StoredEvent[]);
          const total = kept.flat().reduce((sum, { text }) => sum + text.length, 0);
          expect(total).toBeLessThanOrEqual(100);
          for (const of of kept) expect(of.length).toBeLessThanOrEqual(5);
        }
      }),
      { numRuns: 500 },
    );
  });
});
