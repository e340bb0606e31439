import { describe, expect, test } from "vitest";
import { parseEvents } from "./parse-events.ts";

describe("a stream of events", () => {
  test("gives an id that comes without data, to resume from", () => {
    expect(parseEvents(["id: 7\n\n"]).seen).toEqual([["7", "message", ""]]);
  });
});

describe("an event without end", () => {
  const maxChars = 10_000;

  test.each([
    ["of empty lines of data", "data:\n"],
    ["of lines that are only a name", "data\n"],
    ["of empty lines of data between comments", "data:\n:\n"],
    ["of one line", "xxxxxx"],
  ])("%s is given up when it holds what it may", (_, text) => {
    const endless = function* () {
      for (;;) yield text;
    };
    const { fed, isTooLarge } = parseEvents(endless(), maxChars);
    expect(isTooLarge).toBe(true);
    // No line may count for less than it costs to keep, which is eight bytes in the array alone.
    expect(fed).toBeLessThanOrEqual(maxChars / 6 + 1);
  });

  test.each([
    ["blank lines", "\n"],
    ["comments", ": keep-alive\n\n"],
    ["unknown fields", "x: y\n"],
    ["ids", "id: 7\n"],
    ["small events", "data: x\n\n"],
  ])("is no stream of %s, which hold nothing", (_, text) => {
    expect(parseEvents(Array(maxChars).fill(text), maxChars).isTooLarge).toBe(false);
  });

  test("in pieces of one character is read in one piece", () => {
    const text = `data: ${"x".repeat(5_000)}\n\n`;
    expect(parseEvents(text).seen).toEqual([[undefined, "message", "x".repeat(5_000)]]);
  });
});
