import { once } from "node:events";
import { createServer, type LogEntry, servePort } from "allspeak";
import { connect, portTransport } from "allspeak/client";
import { serveHttp, websocketLimits } from "allspeak/node";
import { describe, expect, onTestFinished, test } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { Counter } from "../support/counter.ts";
import { entries, open } from "../support/http/entries.ts";
import { exchange } from "../support/http/exchange.ts";
import { openSession, toInitialize } from "../support/http/raw-session.ts";
import { toNewest } from "../support/http/stateless-request.ts";

/** A server whose listener runs until it is released. */
function createListening() {
  const running = new Counter();
  const log: LogEntry[] = [];
  let heard = 0;
  let release: () => void = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const server = createServer({ name: "listening", version: "1", log: (entry) => log.push(entry) });
  server.onNotification("acme/seen", {}, () => void heard++);
  server.onNotification("acme/held", {}, async () => {
    running.add(1);
    await released;
    running.add(-1);
  });
  onTestFinished(release);
  return { server, running, release, log, heard: () => heard };
}

async function notifyNewest(url: string, method: string) {
  const { body, headers } = toNewest(method, {});
  const { id: _, ...notification } = body;
  const answer = await exchange(url, { body: notification, headers });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

describe.each(entries)("notifications with a listener over HTTP, $name", (entry) => {
  test("count like calls without a session", async () => {
    const { server, heard } = createListening();
    const { url } = await open(entry, server, { limits: { rules: [{ calls: 2, by: "all" }] } });
    expect((await notifyNewest(url, "acme/seen")).status).toBe(202);
    expect((await notifyNewest(url, "acme/seen")).status).toBe(202);
    const refused = await notifyNewest(url, "acme/seen");
    expect(refused.status).toBe(503);
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
    expect(JSON.parse(refused.text)).toMatchObject({ error: { code: 503 } });
    expect(heard()).toBe(2);
    // A notification without a listener costs the author nothing.
    expect((await notifyNewest(url, "acme/unknown")).status).toBe(202);
  });

  test("count like calls in a session, and in a batch", async () => {
    const { server, heard } = createListening();
    const { url } = await open(entry, server, { limits: { rules: [{ calls: 4, by: "all" }] } });
    const session = await openSession(url, "2025-03-26");
    expect((await session.notify("acme/seen")).status).toBe(202);
    const seen = { jsonrpc: "2.0", method: "acme/seen" };
    expect((await session.post([seen, seen])).status).toBe(202);
    expect((await session.post([seen, seen])).status).toBe(503);
    expect((await session.notify("acme/seen")).status).toBe(503);
    expect(heard()).toBe(3);
  });

  test("take a place as long as the listener runs", async () => {
    const { server, running, release } = createListening();
    const { url } = await open(entry, server, { limits: { running: 2 } });
    const session = await openSession(url, "2025-11-25");
    expect((await notifyNewest(url, "acme/held")).status).toBe(202);
    expect((await session.notify("acme/held")).status).toBe(202);
    await running.reached(2);
    expect((await session.notify("acme/held")).status).toBe(503);
    expect((await session.ask("ping")).status).toBe(503);
    release();
    await running.reached(0);
    expect((await session.ask("ping")).status).toBe(200);
    expect((await session.notify("acme/held")).status).toBe(202);
  });

  test("of the specification do their work beyond the limits, too", async () => {
    const { server } = createListening();
    const started = new Counter();
    const aborted = new Counter();
    let cancellations = 0;
    server.onNotification("notifications/cancelled", {}, () => void cancellations++);
    server.tool("wait", "Waits", async (_args, ctx) => {
      started.add(1);
      await once(ctx.signal, "abort");
      aborted.add(1);
      return "";
    });
    const { url } = await open(entry, server, { limits: { rules: [{ calls: 2, by: "all" }] } });
    const session = await openSession(url, "2025-11-25");
    const gone = new AbortController();
    const call = session.call("wait", {}, { id: 7, signal: gone.signal }).catch(() => {});
    await started.reached(1);
    expect((await session.notify("notifications/cancelled", { requestId: 7 })).status).toBe(202);
    await aborted.reached(1);
    expect(cancellations).toBe(0);
    gone.abort();
    await call;
  });
});

test("notifications over a WebSocket count like its calls", async () => {
  const { server, heard, log } = createListening();
  const websocket = new WebSocketServer(websocketLimits());
  const running = await serveHttp(server, { websocket, limits: { rules: [{ calls: 3 }] } });
  onTestFinished(() => running.close(0));
  const socket = new WebSocket(running.url.replace("http", "ws"), "mcp");
  onTestFinished(() => socket.terminate());
  await once(socket, "open");
  const pinged = new Promise<string>((resolve) => {
    socket.on("message", (data) => JSON.parse(String(data)).id === 1 && resolve(String(data)));
  });
  socket.send(JSON.stringify(toInitialize("2025-11-25")));
  for (let n = 0; n < 10; n++) socket.send(JSON.stringify({ jsonrpc: "2.0", method: "acme/seen" }));
  socket.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }));
  expect(JSON.parse(await pinged)).toMatchObject({ id: 1, error: { code: 429 } });
  expect(heard()).toBe(2);
  expect(log).toHaveLength(1);
});

describe.each(["2025-11-25", "2026-07-28"] as const)("listeners on one connection of %s", (revision) => {
  test("are run up to a limit at once; further notifications are dropped and logged once", async () => {
    const { server, running, release, heard, log } = createListening();
    const { port1, port2 } = new MessageChannel();
    const connection = servePort(server, port1, { maxCalls: 3 });
    onTestFinished(() => connection.close(0));
    const client = await connect(portTransport(port2), { revisions: [revision] });
    onTestFinished(() => client.close());
    for (let n = 0; n < 50; n++) await client.notify("acme/held");
    await client.notify("acme/seen");
    await client.ping();
    expect(running.value).toBe(3);
    expect(heard()).toBe(0);
    expect(log).toMatchObject([{ message: expect.stringContaining("dropped") }]);
    release();
    await running.reached(0);
    await client.notify("acme/seen");
    await client.ping();
    expect(heard()).toBe(1);
  });
});
