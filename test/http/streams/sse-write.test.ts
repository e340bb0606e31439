import { createParser, type EventSourceMessage } from "eventsource-parser";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  encodeEvent,
  encodeNamedEvent,
  encodePrimingEvent,
  encodeRetry,
} from "../../../src/transports/http/server/events/sse-encode.ts";

function parse(text: string) {
  const events: EventSourceMessage[] = [];
  const retries: number[] = [];
  const parser = createParser({ onEvent: (event) => events.push(event), onRetry: (ms) => retries.push(ms) });
  parser.feed(text);
  return { events, retries };
}

describe("an event that is written", () => {
  it("is read as the one message it is, whatever it says", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(), (value, sequence) => {
        const text = JSON.stringify({ value });
        expect(parse(encodeEvent(text) + encodeEvent(text, `tag-r1-${sequence}`)).events).toMatchObject([
          { data: text },
          { data: text, id: `tag-r1-${sequence}` },
        ]);
      }),
      { numRuns: 2000 },
    );
  });

  it("may have a name, or nothing to say but where to resume", () => {
    expect(parse(encodeNamedEvent("endpoint", "/messages?x=1")).events).toMatchObject([
      { event: "endpoint", data: "/messages?x=1" },
    ]);
    const { events, retries } = parse(encodePrimingEvent("tag-r1-0", 500) + encodeRetry(700));
    expect(events).toMatchObject([{ id: "tag-r1-0", data: "" }]);
    expect(retries).toEqual([500, 700]);
  });
});
