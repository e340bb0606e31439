// The HTTP request as a handler sees it, over each way that a request can take.
import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createServer, type RevisionName, tool } from "allspeak";
import { connect, httpTransport, type Target, websocketTransport } from "allspeak/client";
import { createFetchHandler } from "allspeak/http";
import { createNodeHandler, serveHttp, serveSocket, socketTransport, websocketLimits } from "allspeak/node";
import express from "express";
import fastify from "fastify";
import { Hono } from "hono";
import { afterAll, describe, expect, it } from "vitest";
import { WebSocket, WebSocketServer } from "ws";

const headers = {
  "X-Tenant": "blue",
  Authorization: "Bearer secret-token",
  Cookie: "a=secret-cookie",
  "X-Auth": "secret-auth",
  "X-Functions-Key": "secret-key",
};

const look = tool("look", {}, (_args, { http, address }) => ({
  ...(address !== undefined && { address }),
  ...(http && {
    method: http.method,
    url: http.url,
    tenant: http.headers.get("X-TENANT"),
    has: [http.headers.has("x-tenant"), http.headers.has("x-other")],
    missing: http.headers.get("x-other"),
    authorization: http.headers.get("authorization"),
    all: Object.fromEntries(http.headers),
    text: JSON.stringify(http),
  }),
}));
const work = tool("work", { task: "required" }, (_args, { http, address }) => `${http} ${address}`);
const server = createServer({ name: "s", version: "1", tools: [look, work], log: () => {} });

const closers: (() => unknown)[] = [];
afterAll(async () => {
  for (const close of closers.splice(0)) await close();
});

/** What the handler saw of a call. */
async function seenBy(
  target: Target,
  revision: RevisionName = "2026-07-28",
): Promise<Record<string, unknown>> {
  const client = await connect(target, { revisions: [revision] });
  closers.push(() => client.close());
  const { content } = await client.tools.call("look");
  return JSON.parse((content[0] as { text: string }).text);
}

const http = await serveHttp(server, { websocket: new WebSocketServer(websocketLimits()) });
closers.push(() => http.close(0));

const mcp = createNodeHandler(server);
const fetchMcp = createFetchHandler(server);
const atPath = createFetchHandler(server, { path: "/api/mcp" });
closers.push(
  () => mcp.close(0),
  () => fetchMcp.close(0),
  () => atPath.close(0),
);

async function mountInExpress(): Promise<Target> {
  const listening = createHttpServer(express().use("/api", mcp)).listen(0, "127.0.0.1");
  await once(listening, "listening");
  closers.push(
    () => listening.closeAllConnections(),
    () => listening.close(),
  );
  const { port } = listening.address() as AddressInfo;
  return httpTransport(`http://127.0.0.1:${port}/api/mcp`, { headers });
}

async function mountInFastify(): Promise<Target> {
  const app = fastify();
  app.all("/api/mcp", (request, reply) => mcp(request, reply));
  closers.push(() => app.close());
  return httpTransport(`${await app.listen({ port: 0, host: "127.0.0.1" })}/api/mcp`, { headers });
}

function callWith(handle: (request: Request) => Response | Promise<Response>): Target {
  const fetch: typeof globalThis.fetch = async (input, init) => handle(new Request(input, init));
  return httpTransport("http://localhost/api/mcp", { headers, fetch });
}

const reaches: Record<string, () => Target | Promise<Target>> = {
  serveHttp: () => httpTransport(http.url, { headers }),
  Express: mountInExpress,
  Fastify: mountInFastify,
  Hono: () => callWith((request) => new Hono().use("/api/*", fetchMcp).fetch(request)),
  "the fetch handler": () => callWith((request) => atPath(request)),
};

describe.each(Object.keys(reaches))("a handler behind %s", (name) => {
  it.each(["2026-07-28", "2025-11-25"] as const)("sees the request of a call in %s", async (revision) => {
    const seen = await seenBy(await (reaches[name] as () => Target)(), revision);
    expect(seen).toMatchObject({ method: "POST", tenant: "blue", has: [true, false], missing: null });
    expect(seen.url).toMatch(
      name === "serveHttp" ? /^http:\/\/127\.0\.0\.1:\d+\/mcp$/ : /^http:.*\/api\/mcp$/,
    );
  });
});

describe("a handler behind a connection that stays open", () => {
  it("sees the request that opened a WebSocket", async () => {
    const url = http.url.replace("http:", "ws:");
    const seen = await seenBy(websocketTransport(`${url}?room=1`, { WebSocket, headers }));
    expect(seen).toMatchObject({
      method: "GET",
      url: `${http.url}?room=1`,
      tenant: "blue",
      address: "127.0.0.1",
    });
  });

  it("sees the request that opened the stream of HTTP+SSE", async () => {
    const url = new URL("/sse", http.url).href;
    const seen = await seenBy(httpTransport(url, { headers }), "2024-11-05");
    expect(seen).toMatchObject({ method: "GET", url, tenant: "blue", address: "127.0.0.1" });
  });

  it("sees the address of a socket, and no request", async () => {
    const running = await serveSocket(server, { port: 0 });
    closers.push(() => running.close(0));
    expect(await seenBy(socketTransport(running.address))).toEqual({ address: "127.0.0.1" });
  });

  it("sees nothing in memory", async () => {
    expect(await seenBy(server)).toEqual({});
  });
});

describe("the headers", () => {
  it("give credentials by name, and leave them out of the whole", async () => {
    const { authorization, all, text } = await seenBy(httpTransport(http.url, { headers }));
    expect(authorization).toBe("Bearer secret-token");
    expect(all).toMatchObject({ "x-tenant": "blue", "content-type": "application/json" });
    expect(JSON.stringify([all, text])).not.toContain("secret-");
  });

  it("leave out the id of a session, which is a key to it", async () => {
    const { all } = await seenBy(httpTransport(http.url, { headers }), "2025-11-25");
    expect(Object.keys(all as object)).not.toContain("mcp-session-id");
    expect(Object.keys(all as object)).toContain("mcp-protocol-version");
  });
});

it("the address is the one that a trusted proxy names", async () => {
  const proxied = await serveHttp(server, { trustProxy: 1 });
  closers.push(() => proxied.close(0));
  const forwarded = { "X-Forwarded-For": "203.0.113.7" };
  expect(await seenBy(httpTransport(proxied.url, { headers: forwarded }))).toMatchObject({
    address: "203.0.113.7",
  });
  expect(await seenBy(httpTransport(http.url, { headers: forwarded }))).toMatchObject({
    address: "127.0.0.1",
  });
});

it("a task sees neither the request nor the address, which it outlives", async () => {
  const client = await connect(http.url, { tasks: true });
  closers.push(() => client.close());
  const { content } = await client.tools.call("work");
  expect(content).toEqual([{ type: "text", text: "undefined undefined" }]);
});
