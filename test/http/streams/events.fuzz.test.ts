import { createParser } from "eventsource-parser";
import fc from "fast-check";
import { describe, expect } from "vitest";
import { encodeEvent } from "../../../src/transports/http/server/events/sse-encode.ts";
import { fuzz } from "../../support/fuzz.ts";
import { parseEvents } from "./parse-events.ts";

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
  "id: 7\0",
);
const lineEnd = fc.constantFrom("\n", "\r\n", "\n\n", "\r\n\r\n", "");
const streams = fc.array(fc.tuple(piece, lineEnd)).map((parts) => `${parts.flat().join("")}\ndata: end\n\n`);

const hasData = (seen: unknown) => !(Array.isArray(seen) && seen[2] === "");

describe("an event that is written", () => {
  const written = fc.tuple(fc.jsonValue(), fc.nat());
  fuzz(
    "SSE round trip",
    "is read as the one message it is, whatever it says",
    written,
    ([value, sequence]) => {
      const [text, id] = [JSON.stringify({ value }), `tag-r1-${sequence}`];
      const expected = [
        [undefined, "message", text],
        [id, "message", text],
      ];
      const stream = encodeEvent(text) + encodeEvent(text, id);
      expect(parseEvents([stream]).seen).toEqual(expected);
      expect(parseElsewhere(stream)).toEqual(expected);
    },
  );
});

describe("a stream of events", () => {
  fuzz("SSE rules", "is read as another parser reads it, if its events have data", streams, (text) => {
    expect(parseEvents([text]).seen.filter(hasData)).toEqual(parseElsewhere(text).filter(hasData));
  });

  const withReturns = streams.map((text) => text.replaceAll("\n\n", "\r\r"));
  const cut = fc.tuple(
    fc.oneof(streams, withReturns),
    fc.array(fc.integer({ min: 0, max: 4 }), { size: "+1" }),
  );
  fuzz("SSE rules", "is read the same, wherever it is cut", cut, ([text, sizes]) => {
    const pieces: string[] = [];
    let at = 0;
    for (const size of sizes) {
      pieces.push(text.slice(at, at + size));
      at += size;
    }
    expect(parseEvents([...pieces, text.slice(at)]).seen).toEqual(parseEvents([text]).seen);
  });
});
