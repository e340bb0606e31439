import { createParser, type EventSourceMessage } from "eventsource-parser";
import { describe, expect, it } from "vitest";
import {
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
  it("may have a name, or nothing to say but where to resume", () => {
    expect(parse(encodeNamedEvent("endpoint", "/messages?x=1")).events).toMatchObject([
      { event: "endpoint", data: "/messages?x=1" },
    ]);
    const { events, retries } = parse(encodePrimingEvent("tag-r1-0", 500) + encodeRetry(700));
    expect(events).toMatchObject([{ id: "tag-r1-0", data: "" }]);
    expect(retries).toEqual([500, 700]);
  });
});
