// Request targets in absolute form, which a server must accept: RFC 9112, 3.2.2.
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer } from "allspeak";
import type { HttpOptions } from "allspeak/http";
import { createNodeHandler, serveHttp, websocketLimits } from "allspeak/node";
import express from "express";
import { describe, expect, it, onTestFinished } from "vitest";
import { WebSocketServer } from "ws";
import { entries, open } from "../../support/http/entries.ts";
import { createFixture } from "../../support/http/fixture.ts";
import { RawSocket, toResponses } from "../../support/http/raw-socket.ts";
import { toNewest } from "../../support/http/stateless-request.ts";

const call = toNewest("tools/call", { name: "echo", arguments: { text: "x" } });

/** Sends a call to this target; returns the response. */
async function post(port: number, target: string, head: string, version = "1.1") {
  const body = JSON.stringify(call.body);
  const headers = Object.entries(call.headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const raw = new RawSocket(port);
  raw.write(
    `POST ${target} HTTP/${version}\r\n${head}Connection: close\r\n${headers.join("")}Content-Length: ${body.length}\r\n\r\n${body}`,
  );
  const [response] = toResponses(await raw.end());
  return response;
}

describe.each(entries.filter(({ name }) => name !== "createFetchHandler"))("$name", (entry) => {
  const visit = async (target: string, head: string, options?: HttpOptions) => {
    const { server, entered } = createFixture();
    const { origin } = await open(entry, server, options);
    const response = await post(Number(new URL(origin).port), target, head);
    return { status: response?.status, entered: entered(), body: response?.body };
  };

  it.each([
    ["http://localhost/mcp", "Host: localhost\r\n"],
    ["HTTP://LocalHost:3000/mcp", "Host: localhost:3000\r\n"],
    ["https://127.0.0.1/mcp?a=b", "Host: 127.0.0.1\r\n"],
    ["http://127.0.0.1/mcp", "Host: localhost\r\n"],
  ])("answers a request for %s with %j", async (target, head) => {
    expect(await visit(target, head)).toMatchObject({ status: 200, entered: 1 });
  });

  it("serves a public host by its whole target", async () => {
    const options = { publicUrl: "https://mcp.example.com/mcp" };
    const answer = await visit("http://mcp.example.com/mcp", "Host: mcp.example.com\r\n", options);
    expect(answer).toMatchObject({ status: 200, entered: 1 });
  });

  it.each([
    ["http://evil.example/mcp", "Host: evil.example\r\n"],
    ["http://evil.example/mcp", "Host: localhost\r\n"],
    ["http://localhost/mcp", "Host: evil.example\r\n"],
    ["http://localhost@evil.example/mcp", "Host: localhost\r\n"],
    ["http://evil.example@localhost/mcp", "Host: localhost\r\n"],
    ["http://localhost.evil.example/mcp", "Host: localhost\r\n"],
    ["http:///mcp", "Host: localhost\r\n"],
    ["http://localhost/mcp", "Host: localhost\r\nOrigin: http://evil.example\r\n"],
    ["http://evil.example/mcp", "Host: localhost\r\nOrigin: http://evil.example\r\n"],
  ])("lets no other host in by %s with %j", async (target, head) => {
    const { status, entered, body } = await visit(target, head);
    expect([status, entered]).toEqual([403, 0]);
    expect(JSON.parse(body ?? "")).toMatchObject({ error: { code: -32600 } });
  });

  it.each(["ftp://localhost/mcp", "http://localhost", "http://localhost/other", "//localhost/mcp"])(
    "finds nothing at %s",
    async (target) => {
      const { status, entered } = await visit(target, "Host: localhost\r\n");
      expect([status, entered]).toEqual([404, 0]);
    },
  );
});

it("a handler sees the URL that the target names", async () => {
  const server = createServer({ name: "s", version: "1" });
  server.tool("echo", { input: { type: "object" } }, (_, { http }) => http?.url ?? "");
  const running = await serveHttp(server);
  onTestFinished(() => running.close(0));
  const target = "http://localhost:3000/mcp?a=b";
  const response = await post(Number(new URL(running.url).port), target, "Host: localhost\r\n");
  expect(response?.body).toContain(JSON.stringify(target).slice(1, -1));
});

it("a handler below a path of Express is found by a whole target, too", async () => {
  const { server, entered } = createFixture();
  const handle = createNodeHandler(server);
  const http = express().use("/api", handle).listen(0, "127.0.0.1");
  await once(http, "listening");
  onTestFinished(async () => {
    await handle.close(0);
    http.close();
  });
  const { port } = http.address() as AddressInfo;
  const head = "Host: localhost\r\n";
  expect((await post(port, "http://localhost/api/mcp", head))?.status).toBe(200);
  expect((await post(port, "http://evil.example/api/mcp", head))?.status).toBe(403);
  expect(entered()).toBe(1);
});

it("a WebSocket is opened by a whole target, and only for hosts that are allowed", async () => {
  const { server } = createFixture();
  const running = await serveHttp(server, { websocket: new WebSocketServer(websocketLimits()) });
  onTestFinished(() => running.close(0));
  const upgrade = async (target: string) => {
    const raw = new RawSocket(Number(new URL(running.url).port));
    raw.write(
      `GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
    );
    const text = await raw.until((seen) => seen.includes("\r\n\r\n"));
    raw.destroy();
    return text.slice(0, 12);
  };
  expect(await upgrade("http://localhost/mcp")).toBe("HTTP/1.1 101");
  expect(await upgrade("http://evil.example/mcp")).toBe("HTTP/1.1 403");
});
