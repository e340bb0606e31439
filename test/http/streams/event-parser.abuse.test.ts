import { createParser } from "eventsource-parser";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EventParser } from "../../../src/transports/http/client/fetch/event-parser.ts";

function parse(pieces: Iterable<string>, maxChars = 1_000_000) {
  const seen: unknown[] = [];
  let isTooLarge = false;
  const parser = new EventParser({
    maxChars,
    onEvent: ({ id, kind, data }) => seen.push([id, kind, data]),
    onRetry: (ms) => seen.push(ms),
    onComment: () => seen.push("comment"),
    onTooLarge: () => {
      isTooLarge = true;
    },
  });
  let fed = 0;
  for (const piece of pieces) {
    parser.feed(piece);
    fed++;
    if (isTooLarge) return { seen, fed, isTooLarge };
  }
  return { seen, fed, isTooLarge };
}

function parseElsewhere(text: string): unknown[] {
  const seen: unknown[] = [];
  const parser = createParser({
    onEvent: ({ id, event = "message", data }) => seen.push([id, event, data]),
    onRetry: (ms) => seen.push(ms),
    onComment: () => seen.push("comment"),
  });
  parser.feed(text);
  // Its last carriage return waits for what may follow.
  parser.feed("");
  return seen;
}

const piece = fc.constantFrom(
  "data:",
  "data: x",
  "event: e",
  "id: 7",
  "retry: 5",
  ":",
  "data",
  "x",
  " ",
  "\0",
);
const lineEnd = fc.constantFrom("\n", "\r\n", "\n\n", "\r\n\r\n", "");
const streams = fc.array(fc.tuple(piece, lineEnd)).map((parts) => `${parts.flat().join("")}\ndata: end\n\n`);

describe("a stream of events", () => {
  test("is read as another parser reads it, if its events have data", () => {
    fc.assert(
      fc.property(streams, (text) => {
        const ours = parse([text]).seen.filter((seen) => !(Array.isArray(seen) && seen[2] === ""));
        const theirs = parseElsewhere(text).filter((seen) => !(Array.isArray(seen) && seen[2] === ""));
        expect(ours).toEqual(theirs);
      }),
    );
  });

  test("is read the same, wherever it is cut", () => {
    const withReturns = streams.map((text) => text.replaceAll("\n\n", "\r\r"));
    fc.assert(
      fc.property(
        fc.oneof(streams, withReturns),
        fc.infiniteStream(fc.integer({ min: 0, max: 4 })),
        (text, sizes) => {
          const pieces: string[] = [];
          for (let at = 0; at < text.length; ) {
            const size = sizes.next().value ?? 1;
            pieces.push(text.slice(at, at + size));
            at += size;
          }
          expect(parse(pieces).seen).toEqual(parse([text]).seen);
        },
      ),
    );
  });

  test("gives an id that comes without data, to resume from", () => {
    expect(parse(["id: 7\n\n"]).seen).toEqual([["7", "message", ""]]);
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
    const { fed, isTooLarge } = parse(endless(), maxChars);
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
    expect(parse(Array(maxChars).fill(text), maxChars).isTooLarge).toBe(false);
  });

  test("in pieces of one character is read in one piece", () => {
    const text = `data: ${"x".repeat(5_000)}\n\n`;
    expect(parse(text).seen).toEqual([[undefined, "message", "x".repeat(5_000)]]);
  });
});
