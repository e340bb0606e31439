import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { bearer } from "allspeak/auth";
import { createFetchHandler } from "allspeak/http";
import { serveHttp, websocketLimits } from "allspeak/node";
import { describe, expect, it, onTestFinished } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { HttpEndpoint } from "../../../src/transports/http/server/endpoint.ts";
import { openIssuer } from "../../support/auth/token-issuer.ts";
import { entries, open } from "../../support/http/entries.ts";
import { exchange } from "../../support/http/exchange.ts";
import { createFixture } from "../../support/http/fixture.ts";
import { toInitialize } from "../../support/http/raw-session.ts";
import { toNewest } from "../../support/http/stateless-request.ts";

const publicUrl = "https://mcp.example.com/mcp";
const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "PROPFIND", "QUERY", "OPTIONS"];
const metadata = "/.well-known/oauth-protected-resource";
const guarded = ["/mcp", "/mcp/", "/mcp?x=y", "/sse", "/messages", "/messages?sessionId=x"];
const readable = [metadata, `${metadata}/mcp`, `${metadata}/sse`];
const nothing = [
  "/",
  "/mcp//",
  "/x/mcp",
  "//mcp",
  "/MCP",
  "/%6dcp",
  "/mcp;x",
  "/mcp/sse",
  "/.well-known/openid-configuration",
];

/** What somebody gets who tries everything on one path. */
async function tryAll(origin: string, path: string, headers: Record<string, string> = {}) {
  const bodies = [
    toNewest("tools/call", { name: "echo", arguments: { text: "x" } }),
    { body: toInitialize("2025-11-25"), headers: {} },
  ];
  const statuses: Record<string, number> = {};
  for (const method of methods) {
    for (const { body, headers: common } of bodies) {
      const sent = {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...common,
        ...headers,
      };
      const hasBody = method !== "GET" && method !== "HEAD";
      const answer = await exchange(origin + path, { method, headers: sent, ...(hasBody && { body }) });
      statuses[method] = answer.status;
      answer.cut();
    }
  }
  return statuses;
}

const all = (status: number) => ({
  ...Object.fromEntries(methods.map((method) => [method, status])),
  OPTIONS: 204,
});

describe.each(entries)("CVE-2026-33032, CVE-2026-32211: routes without authorization, $name", (entry) => {
  it.each([{}, { authorization: "Bearer forged" }, { authorization: "Basic YTpi" }])(
    "none but those that are meant to be open let anybody in with %o",
    async (headers) => {
      const issuer = await openIssuer();
      const { server, entered } = createFixture();
      const { origin } = await open(entry, server, { publicUrl, auth: bearer({ issuer: issuer.url }) });
      for (const path of guarded) expect(await tryAll(origin, path, headers), path).toEqual(all(401));
      for (const path of nothing) expect(await tryAll(origin, path, headers), path).toEqual(all(404));
      const onlyRead = { ...all(405), GET: 200, HEAD: 200 };
      for (const path of readable) expect(await tryAll(origin, path, headers), path).toEqual(onlyRead);
      expect(await tryAll(origin, "/health", headers)).toEqual(onlyRead);
      expect(entered()).toBe(0);
    },
  );

  it("is checked before anything is read, created or sent", async () => {
    const issuer = await openIssuer();
    const { server, reports } = createFixture();
    const { url } = await open(entry, server, { publicUrl, auth: bearer({ issuer: issuer.url }) });
    for (const body of ["not json", "[]", "x".repeat(5_000_000)]) {
      const answer = await exchange(url, { body, headers: { "content-type": "text/plain" } });
      expect(answer.status).toBe(401);
      expect(answer.headers["mcp-session-id"]).toBeUndefined();
    }
    expect(reports).toEqual([]);
    expect(issuer.asked).toEqual([]);
  });
});

describe("the table of routes", () => {
  const rows = [
    ["GET", "/health", "anybody"],
    ["HEAD", "/health", "anybody"],
    ...[`${metadata}/mcp`, `${metadata}/sse`, metadata].flatMap((path) => [
      ["GET", path, "anybody"],
      ["HEAD", path, "anybody"],
    ]),
    ["GET", "/mcp", "admitted"],
    ["POST", "/mcp", "admitted"],
    ["DELETE", "/mcp", "admitted"],
    ["GET", "/sse", "admitted"],
    ["POST", "/messages", "admitted"],
  ];

  it("says of each who may use it, and each holds to it", async () => {
    const auth = bearer({ verify: () => undefined, issuer: "https://login.example.com" });
    const { server, entered } = createFixture();
    const { routes } = new HttpEndpoint(server["~service"](), { publicUrl, auth });
    expect(routes.map(({ method, path, access }) => [method, path, access])).toEqual(rows);
    const handle = createFetchHandler(server, { publicUrl, auth });
    onTestFinished(() => handle.close(0));
    for (const { method, path, access } of routes) {
      const headers = { host: "mcp.example.com", authorization: "Bearer x" };
      const { status } = await handle(new Request(new URL(path, publicUrl), { method, headers }));
      expect([method, path, status]).toEqual([method, path, access === "anybody" ? 200 : 401]);
    }
    expect(entered()).toBe(0);
  });
});

describe("a WebSocket without authorization", () => {
  const connect = async (url: string, headers: Record<string, string>) => {
    const socket = new WebSocket(url, ["mcp"], { headers });
    socket.on("error", () => {});
    const opened = once(socket, "open").then(() => 101);
    const refused = once(socket, "unexpected-response").then(
      ([, response]) => (response as IncomingMessage).statusCode,
    );
    const status = await Promise.race([opened, refused]);
    socket.terminate();
    return status;
  };

  it("is not opened, and costs one look at its token when it is", async () => {
    let verified = 0;
    const auth = bearer({
      verify: (token, { audience }) => {
        verified++;
        return token === "good" ? { sub: "alice", aud: audience } : undefined;
      },
    });
    const websocket = new WebSocketServer(websocketLimits());
    const running = await serveHttp(createFixture().server, { publicUrl, auth, websocket });
    onTestFinished(() => running.close(0));
    const url = running.url.replace("http:", "ws:");
    expect(await connect(url, {})).toBe(401);
    expect(await connect(`${url}?access_token=good`, {})).toBe(400);
    expect(await connect(url.replace("/mcp", "/sse"), { authorization: "Bearer good" })).toBe(404);
    expect(verified).toBe(0);
    expect(await connect(url, { authorization: "Bearer bad" })).toBe(401);
    expect(await connect(url, { authorization: "Bearer good" })).toBe(101);
    expect(verified).toBe(2);
  });
});
