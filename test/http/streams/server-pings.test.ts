import { createServer } from "allspeak";
import { connect, websocketTransport } from "allspeak/client";
import { createFetchHandler } from "allspeak/http";
import { serveHttp, websocketLimits } from "allspeak/node";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { entries, open } from "../../support/http/entries.ts";
import { exchange } from "../../support/http/exchange.ts";
import { openSession, toInitialize } from "../../support/http/raw-session.ts";
import { Queue } from "../../support/queue.ts";
import { sharedMemory } from "../../support/shared-state.ts";

const ping = { everyMs: 20, timeoutMs: 10_000 };
/** Gives up soon. */
const impatient = { everyMs: 20, timeoutMs: 20, maxFailures: 2 };

function createLogged() {
  const log = new Queue<string>();
  const server = createServer({
    name: "pinging",
    version: "1",
    log: ({ message, cause }) => log.push(`${message}: ${(cause as Error).message}`),
  });
  return { server, log };
}

describe.each(entries)("a server that pings over HTTP, $name", (entry) => {
  it("pings over the stream beside the calls as long as the client answers", async () => {
    const { server } = createLogged();
    const { url } = await open(entry, server, { ping });
    const session = await openSession(url, "2025-06-18");
    const events = await session.listen();
    const ids = new Set<unknown>();
    for (let times = 0; times < 4; times++) {
      const asked = await events.message();
      expect(asked).toMatchObject({ jsonrpc: "2.0", method: "ping", id: expect.anything() });
      ids.add(asked?.id);
      expect((await session.answer(asked?.id, {})).status).toBe(202);
    }
    expect(ids.size).toBe(4);
    events.cut();
  });

  it("ends the stream of a client that answers none, and says so in its log; the session goes on", async () => {
    const { server, log } = createLogged();
    const { url } = await open(entry, server, { ping: impatient });
    const session = await openSession(url, "2025-11-25");
    const events = await session.listen();
    const messages = await events.messages();
    expect(messages.map(({ method }) => method)).toEqual(["ping", "ping"]);
    expect(await log.next()).toContain("A ping was not answered");
    expect(await log.next()).toContain("2 pings in a row were not answered");
    expect((await session.ask("ping")).status).toBe(200);
    const again = await session.listen();
    expect(await again.message()).toMatchObject({ method: "ping" });
    again.cut();
  });
});

it("a client that goes away while a ping is under way is not reported", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const { server, log } = createLogged();
  const handler = createFetchHandler(server, { ping: { everyMs: 1_000, timeoutMs: 60_000 } });
  onTestFinished(() => handler.close(0));
  const headers: Record<string, string> = { "content-type": "application/json", accept: "application/json" };
  const post = (body: object) =>
    handler(new Request("http://localhost/mcp", { method: "POST", headers, body: JSON.stringify(body) }));
  headers["mcp-session-id"] = (await post(toInitialize("2025-11-25"))).headers.get("mcp-session-id") ?? "";
  headers["mcp-protocol-version"] = "2025-11-25";
  await post({ jsonrpc: "2.0", method: "notifications/initialized" });
  const get = { headers: { ...headers, accept: "text/event-stream" } };
  const reader = (await handler(new Request("http://localhost/mcp", get))).body?.getReader();
  const decoder = new TextDecoder();
  let heard = "";
  void (async () => {
    for (let read = await reader?.read(); read && !read.done; read = await reader?.read())
      heard += decoder.decode(read.value);
  })();
  while (!heard.includes('"ping"')) await vi.advanceTimersByTimeAsync(1_000);
  await reader?.cancel();
  await vi.advanceTimersByTimeAsync(120_000);
  expect(log.drain()).toEqual([]);
});

it("the answer to a ping finds its node, whichever gets it", async () => {
  const { server, log } = createLogged();
  const state = sharedMemory();
  const nodes = await Promise.all([1, 2].map(() => serveHttp(server, { state, ping })));
  onTestFinished(async () => void (await Promise.all(nodes.map((node) => node.close(0)))));
  const [first = "", second = ""] = nodes.map(({ url }) => url);
  const session = await openSession(first, "2025-11-25");
  const events = await session.listen();
  for (let times = 0; times < 3; times++) {
    const asked = await events.message();
    expect(asked).toMatchObject({ method: "ping" });
    const body = { jsonrpc: "2.0", id: asked?.id, result: {} };
    const headers = { ...session.headers, "content-type": "application/json", accept: "application/json" };
    expect((await exchange(second, { body, headers })).status).toBe(202);
  }
  events.cut();
  expect(log.drain()).toEqual([]);
});

it.each([
  ["a WebSocket", (url: string) => websocketTransport(url.replace("http", "ws"), { WebSocket })],
  ["HTTP+SSE", (url: string) => new URL("/sse", url).href],
])("pings go over %s, too", async (_, toAddress) => {
  const { server } = createLogged();
  const running = await serveHttp(server, { websocket: new WebSocketServer(websocketLimits()), ping });
  onTestFinished(() => running.close(0));
  const pings = new Queue<unknown>();
  const client = await connect(toAddress(running.url), {
    revisions: ["2024-11-05"],
    onMessage: (message, direction) => {
      if (direction === "received" && (message as { method?: string }).method === "ping") pings.push(message);
    },
  });
  onTestFinished(() => client.close());
  for (let times = 0; times < 3; times++) await pings.next();
});

it("the interval must be a number of milliseconds", async () => {
  await expect(serveHttp(createLogged().server, { ping: { everyMs: 0 } })).rejects.toThrow("ping.everyMs");
});
