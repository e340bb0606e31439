import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseEventId, toEventId } from "../../../src/transports/http/server/events/event-id.ts";
import { createSessionId } from "../../../src/transports/http/server/session/session-id.ts";

describe("an event id", () => {
  it("names its place to the session it belongs to, and nothing to any other", () => {
    const [session, other] = [createSessionId(), createSessionId()];
    const id = toEventId({ session, stream: "r12", offset: "1700000000000.34" });
    expect(parseEventId(id, session)).toEqual({ stream: "r12", offset: "1700000000000.34" });
    expect(parseEventId(id, other)).toBeUndefined();
    expect(id).not.toContain(session);
  });

  it("is never made of an offset that could end its line", () => {
    const make = (offset: unknown) =>
      toEventId({ session: "0123456789", stream: "main", offset: offset as string });
    for (const offset of ["1\ndata: x", "\0", "9".repeat(2000), "", "a-b", "a b"]) {
      expect(() => make(offset)).toThrow("An offset of an event store");
    }
  });

  it("is read from any text without harm", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), (text) => {
        const read = parseEventId(text, "0123456789abcdef");
        if (read) expect(toEventId({ session: "0123456789abcdef", ...read })).toBe(text);
      }),
      { numRuns: 5000 },
    );
  });
});
