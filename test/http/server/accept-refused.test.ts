import { expect, it } from "vitest";
import { readAccept } from "../../../src/transports/http/server/events/json-or-events.ts";

it("a type that is refused by name is not let in by a wildcard", () => {
  expect(readAccept("application/json;q=0, */*")).toEqual({ json: false, events: true });
  expect(readAccept("*/*, text/event-stream; q=0.0")).toEqual({ json: true, events: false });
  expect(readAccept("application/json, application/*;q=0")).toEqual({ json: true, events: false });
});
