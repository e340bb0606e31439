import { describe, expect, test } from "vitest";
import { SupportedRevisions } from "../../../src/protocol/negotiate.ts";
import type { HttpRequest } from "../../../src/transports/http/server/http-interface.ts";
import { RequestRevision } from "../../../src/transports/http/server/request/request-revision.ts";

function requestWith(version: string | undefined): HttpRequest {
  return {
    method: "POST",
    path: "/mcp",
    query: "",
    address: undefined,
    header: (name) => (name === "mcp-protocol-version" ? version : undefined),
    readText: () => Promise.reject(new Error("The body is not read.")),
  };
}

describe("the revision of a request without the header", () => {
  test.each([
    ["2025-03-26", undefined],
    ["2025-03-26", ["2025-03-26", "2025-11-25"]],
    ["2025-03-26", ["2024-11-05", "2025-03-26"]],
    ["2024-11-05", ["2024-11-05", "2025-06-18"]],
    ["2025-06-18", ["2025-06-18", "2025-11-25", "2026-07-28"]],
    [undefined, ["2026-07-28"]],
  ])("is %s where %j are supported", (expected, names) => {
    const revision = new RequestRevision(new SupportedRevisions(names));
    expect(revision.inSession(requestWith(undefined))?.version).toBe(expected);
  });
});

test("the header names the revision, with spaces around it or without", () => {
  const revision = new RequestRevision(new SupportedRevisions());
  expect(revision.inSession(requestWith(" 2025-06-18 "))?.version).toBe("2025-06-18");
  expect(revision.inSession(requestWith("1999-01-01"))).toBeUndefined();
});
