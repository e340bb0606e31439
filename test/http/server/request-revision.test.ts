import { createServer } from "allspeak";
import { createFetchHandler } from "allspeak/http";
import { serveHttp } from "allspeak/node";
import { describe, expect, onTestFinished, test } from "vitest";
import { SupportedRevisions } from "../../../src/protocol/negotiate.ts";
import type { HttpRequest } from "../../../src/transports/http/server/http-interface.ts";
import { RequestRevision } from "../../../src/transports/http/server/request/request-revision.ts";
import { exchange } from "../../support/http/exchange.ts";
import { openSession, toInitialize } from "../../support/http/raw-session.ts";

function requestWith(version: string | undefined): HttpRequest {
  return {
    method: "POST",
    prefix: "",
    mountPath: "",
    path: "/mcp",
    query: "",
    url: "http://localhost/mcp",
    address: undefined,
    headerNames: () => [],
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

describe("a server of the newest revision alone", () => {
  const answerOf = async (method: string, headers: Record<string, string>) => {
    const handler = createFetchHandler(createServer({ name: "s", version: "1", revisions: ["2026-07-28"] }));
    onTestFinished(() => handler.close(0));
    const answer = await handler(
      new Request("http://localhost/mcp", {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify({ ...toInitialize("2025-11-25"), method }),
      }),
    );
    return { status: answer.status, ...((await answer.json()) as object) };
  };
  const names = { message: expect.stringContaining("2026-07-28"), data: { supported: ["2026-07-28"] } };

  test.each(["initialize", "tools/list"])("says what it speaks to an older client's %s", async (method) => {
    expect(await answerOf(method, {})).toMatchObject({
      status: 400,
      id: 0,
      error: { code: -32020, ...names },
    });
    expect(await answerOf(method, { "mcp-protocol-version": "2025-11-25" })).toMatchObject({
      status: 400,
      id: 0,
      error: { code: -32602, ...names },
    });
  });
});

describe("a session", () => {
  test.each(["POST", "GET", "DELETE"])("refuses the header of another revision with %s", async (method) => {
    const running = await serveHttp(createServer({ name: "s", version: "1" }));
    onTestFinished(() => running.close(0));
    const session = await openSession(running.url, "2025-06-18");
    for (const version of ["2025-11-25", "2025-03-26", ...(method === "POST" ? [] : ["2026-07-28"])]) {
      const answer = await exchange(session.url, {
        method,
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          ...session.headers,
          "mcp-protocol-version": version,
        },
        ...(method === "POST" && { body: { jsonrpc: "2.0", id: 1, method: "ping" } }),
      });
      expect(answer.status, version).toBe(400);
      expect(await answer.json()).toMatchObject({
        error: { message: expect.stringContaining("2025-06-18") },
      });
    }
    expect(await (await session.ask("ping")).result()).toMatchObject({ result: {} });
  });
});
