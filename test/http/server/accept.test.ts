import { describe, expect, it } from "vitest";
import { readAccept } from "../../../src/transports/http/server/events/json-or-events.ts";
import { isJsonContentType } from "../../../src/transports/http/server/request/posted-message.ts";

describe("the Accept header", () => {
  it.each([
    [undefined, true, true],
    ["", true, true],
    ["*/*", true, true],
    ["application/json", true, false],
    ["text/event-stream", false, true],
    ["application/json , TEXT/EVENT-STREAM;q=0.5", true, true],
    ["application/*", true, false],
    ["text/*", false, true],
    ["text/html", false, false],
    ["text/html, */*;q=0.8", true, true],
    ["*/*;q=0", false, false],
    ["*/*;q=0.0", false, false],
    ["*/*;q=0.001", true, true],
    ["application/json;q=0, */*", false, true],
    ["*/*, text/event-stream; Q=0", true, false],
    ["application/json;q=0;ext=1, application/*;q=1", false, false],
    [",,;,", false, false],
  ])("%j: JSON %j, events %j", (header, json, events) => {
    expect(readAccept(header)).toEqual({ json, events });
  });
});

describe("the Content-Type header", () => {
  it.each(["application/json", " Application/JSON ", "application/json; charset=utf-8", "application/json;"])(
    "%j is JSON",
    (type) => expect(isJsonContentType(type)).toBe(true),
  );

  it.each([
    undefined,
    "",
    "text/plain",
    "text/plain; a=application/json",
    "application/json, text/plain",
    "application/json; a=b, text/plain",
    "application/jsonx",
    "xapplication/json",
  ])("%j is not", (type) => expect(isJsonContentType(type)).toBe(false));
});
