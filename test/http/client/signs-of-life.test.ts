import { afterEach, describe, expect, test, vi } from "vitest";
import { failure, openClient } from "../../support/open-client.ts";

const encoder = new TextEncoder();
const capabilities = { tools: {} };
const cacheable = { resultType: "complete", ttlMs: 0, cacheScope: "public" };

/** A server that speaks 2026-07-28 and answers a call with a body that the test writes. */
function openBody(contentType: string) {
  let body: ReadableStreamDefaultController<Uint8Array> | undefined;
  let id: unknown;
  const answers: Record<string, object> = {
    "server/discover": { ...cacheable, supportedVersions: ["2026-07-28"], capabilities },
    "tools/list": { ...cacheable, tools: [{ name: "slow", inputSchema: { type: "object" } }] },
  };
  const fetch = async (_: unknown, init?: RequestInit): Promise<Response> => {
    const message = JSON.parse(String(init?.body));
    const result = answers[message.method];
    if (result) return Response.json({ jsonrpc: "2.0", id: message.id, result });
    id = message.id;
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        body = controller;
        init?.signal?.addEventListener("abort", () => controller.error(init.signal?.reason));
      },
    });
    return new Response(stream, { headers: { "content-type": contentType } });
  };
  return {
    fetch: fetch as typeof globalThis.fetch,
    answer: () => JSON.stringify({ jsonrpc: "2.0", id, result: { resultType: "complete", content: [] } }),
    write: (text: string) => body?.enqueue(encoder.encode(text)),
    end: () => body?.close(),
  };
}

afterEach(() => {
  vi.useRealTimers();
});

describe("a call over HTTP lives by", () => {
  async function call(contentType: string) {
    vi.useFakeTimers();
    const server = openBody(contentType);
    const client = await openClient("http://127.0.0.1:9/mcp", { fetch: server.fetch });
    const called = client.tools.call("slow", {}, { timeout: { idle: 1_000 } });
    called.catch(() => {});
    await vi.advanceTimersByTimeAsync(900);
    return { server, called };
  }

  test("the keep-alives of its stream", async () => {
    const { server, called } = await call("text/event-stream");
    for (let second = 0; second < 5; second++) {
      server.write(": keep-alive\n\n");
      await vi.advanceTimersByTimeAsync(900);
    }
    server.write(`data: ${server.answer()}\n\n`);
    server.end();
    expect(await called).toEqual({ resultType: "complete", content: [] });
  });

  test("the bytes of a long answer", async () => {
    const { server, called } = await call("application/json");
    const text = server.answer();
    for (const piece of [text.slice(0, 9), text.slice(9, 20), text.slice(20)]) {
      server.write(piece);
      await vi.advanceTimersByTimeAsync(900);
    }
    server.end();
    expect(await called).toEqual({ resultType: "complete", content: [] });
  });

  test("nothing else: a stream that falls silent ends it", async () => {
    const { server, called } = await call("text/event-stream");
    server.write(": keep-alive\n\n");
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await failure(called)).toMatchObject({ code: "timeout", limit: "idle" });
  });
});
