import { once } from "node:events";
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { text } from "node:stream/consumers";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { createServer } from "allspeak";
import { CallLostError, httpTransport, MessageTooLargeError } from "allspeak/client";
import { serveHttp } from "allspeak/node";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { openClient } from "../../support/open-client.ts";

const revisions = ["2025-11-25", "2026-07-28"] as const;

async function serveEcho(): Promise<string> {
  const server = createServer({ name: "echo", version: "1.0.0" });
  server.tool("echo", {}, (args) => JSON.stringify(args));
  server.tool("count", {}, async (_, ctx) => {
    await ctx.progress(1, 2);
    return "counted";
  });
  server.tool("zeros", {}, () => "0".repeat(8 * 1024 * 1024));
  const running = await serveHttp(server);
  onTestFinished(() => running.close(0));
  return running.url;
}

/** A proxy in front of a server, which answers as it likes. */
async function openProxy(
  upstream: string,
  answer: (response: ServerResponse, body: string, request: IncomingMessage) => void,
): Promise<string> {
  const http = createHttpServer(async (request, response) => {
    const headers = Object.entries(request.headers).filter(([name]) => !/^(?:host|connection)$/.test(name));
    const sent = request.method === "POST" ? { body: await text(request) } : {};
    const init = { method: request.method ?? "", headers: headers as [string, string][], ...sent };
    const answered = await fetch(upstream, init).catch(() => undefined);
    if (answered === undefined) return void response.destroy();
    response.statusCode = answered.status;
    for (const name of ["content-type", "mcp-session-id"]) {
      const value = answered.headers.get(name);
      if (value !== null) response.setHeader(name, value);
    }
    answer(response, request.method === "GET" ? "" : await answered.text(), request);
  });
  await once(http.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  const { port } = http.address() as AddressInfo;
  return `http://127.0.0.1:${port}/mcp`;
}

const compressions = {
  gzip: gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
} as const;

describe.each(revisions)("a client of %s", (revision) => {
  test("makes its calls over one connection", async () => {
    const connections = new Set<Socket>();
    const url = await openProxy(await serveEcho(), (response, body, { socket }) => {
      if (body.includes("call")) connections.add(socket);
      response.end(body);
    });
    const client = await openClient(url, { revisions: [revision] });
    for (let call = 0; call < 5; call++) await client.tools.call("echo", { call });
    expect(connections.size).toBe(1);
  });

  test.each(Object.entries(compressions))("reads answers in %s", async (encoding, compress) => {
    const url = await openProxy(await serveEcho(), (response, body, { headers }) => {
      expect(headers["accept-encoding"]).toContain(encoding);
      response.setHeader("content-encoding", encoding).end(compress(body));
    });
    const client = await openClient(url, { revisions: [revision] });
    const { content } = await client.tools.call("echo", { what: "ä🌍" });
    expect(content).toMatchObject([{ text: '{"what":"ä🌍"}' }]);
    const seen: number[] = [];
    await client.tools.call("count", {}, { onProgress: ({ progress }) => seen.push(progress) });
    expect(seen).toEqual([1]);
  });

  test("refuses an answer that is small only while it is compressed", async () => {
    const url = await openProxy(await serveEcho(), (response, body) =>
      response.setHeader("content-encoding", "gzip").end(gzipSync(body)),
    );
    const client = await openClient(httpTransport(url, { maxMessageBytes: 1024 * 1024 }), {
      revisions: [revision],
    });
    await expect(client.tools.call("zeros")).rejects.toBeInstanceOf(MessageTooLargeError);
    expect((await client.tools.call("echo", {})).content).toHaveLength(1);
  });

  test("drops the connection of an answer that is not compressed as it says", async () => {
    let isClosed: Promise<unknown> = Promise.resolve();
    const url = await openProxy(await serveEcho(), (response, body, { socket }) => {
      if (!body.includes("plain")) return void response.end(body);
      isClosed = once(socket, "close");
      response.setHeader("content-encoding", "gzip").write(body);
    });
    const client = await openClient(url, { revisions: [revision] });
    await expect(client.tools.call("echo", { plain: true })).rejects.toBeInstanceOf(CallLostError);
    await isClosed;
  });

  test("tells of an answer that breaks off", async () => {
    const url = await openProxy(await serveEcho(), (response, body) => {
      if (!body.includes("cut")) return void response.end(body);
      response.setHeader("content-length", body.length);
      response.write(body.slice(0, 20), () => response.destroy());
    });
    const client = await openClient(url, { revisions: [revision] });
    const error = await client.tools.call("echo", { cut: true }).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(CallLostError);
    expect(error).toMatchObject({ lost: "connection", mayRetry: false });
  });
});

test("a fetch that takes the place of the platform's makes the requests", async () => {
  const url = await serveEcho();
  const { fetch } = globalThis;
  const asked = vi.fn(fetch);
  vi.stubGlobal("fetch", asked);
  onTestFinished(() => void vi.unstubAllGlobals());
  const client = await openClient(url);
  await client.tools.call("echo", {});
  expect(asked.mock.calls.map(([, init]) => init?.method)).toContain("POST");
});
