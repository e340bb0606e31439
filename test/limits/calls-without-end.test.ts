import { PassThrough } from "node:stream";
import { describe, expect, onTestFinished, test } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { type Client, connect, portTransport, type Target, websocketTransport } from "../../src/client.ts";
import { createServer, type Server, servePort, tool, UsageError } from "../../src/index.ts";
import { serveHttp, serveSocket, serveStdio, socketTransport, websocketLimits } from "../../src/node.ts";
import { Counter } from "../support/counter.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

/** A server whose calls run until they are let go, whether or not they are cancelled. */
function createHeld() {
  const running = new Counter();
  let release: () => void = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const hold = tool("hold", {}, async () => {
    running.add(1);
    await released;
    running.add(-1);
    return "done";
  });
  const server = createServer({ name: "held", version: "1", tools: [hold], log: () => {} });
  onTestFinished(release);
  return { server, release, running };
}

async function overSocket(server: Server, maxCalls?: number): Promise<Target> {
  const path = `${createTemporaryFolder()}/held.sock`;
  const running = await serveSocket(server, { path, maxCalls });
  onTestFinished(() => running.close(0));
  return socketTransport({ path });
}

async function overWebSocket(server: Server): Promise<Target> {
  const websocket = new WebSocketServer(websocketLimits());
  const running = await serveHttp(server, { websocket, limits: false });
  onTestFinished(() => running.close(0));
  return websocketTransport(running.url.replace("http", "ws"), { WebSocket });
}

async function overPort(server: Server, maxCalls?: number): Promise<Target> {
  const { port1, port2 } = new MessageChannel();
  const conversation = servePort(server, port1, { maxCalls });
  onTestFinished(() => conversation.close(0));
  return portTransport(port2);
}

async function open(target: Target, revision: "2025-11-25" | "2026-07-28"): Promise<Client> {
  const client = await connect(target, { revisions: [revision] });
  onTestFinished(() => client.close());
  return client;
}

describe.each(["2025-11-25", "2026-07-28"] as const)("a client of %s", (revision) => {
  test.each([
    ["a socket", overSocket],
    ["a WebSocket", overWebSocket],
    ["a port", overPort],
  ])("may have a thousand calls running over %s, and further ones wait for their turn", async (_, serve) => {
    const { server, release, running } = createHeld();
    const client = await open(await serve(server), revision);
    const calls = Array.from({ length: 3_000 }, () => client.tools.call("hold"));
    await running.reached(1_000);
    // Its answer comes after all that was sent before it.
    await client.ping();
    expect(running.value).toBe(1_000);
    release();
    for (const { content } of await Promise.all(calls)) expect(content).toMatchObject([{ text: "done" }]);
  });
});

test("calls that were cancelled and go on all the same count", async () => {
  const { server, release, running } = createHeld();
  const client = await open(await overSocket(server, 10), "2025-11-25");
  const controller = new AbortController();
  const { signal } = controller;
  const calls = Array.from({ length: 10 }, () => client.tools.call("hold", {}, { signal }).catch(() => {}));
  await running.reached(10);
  controller.abort();
  await Promise.all(calls);
  const another = client.tools.call("hold");
  await client.ping();
  expect(running.value).toBe(10);
  release();
  expect((await another).content).toMatchObject([{ text: "done" }]);
});

test("a client that listens to changes takes no turn from its calls", { timeout: 8_000 }, async () => {
  const server = createServer({ name: "s", version: "1", tools: [tool("hi", {}, () => "done")] });
  const client = await open(await overPort(server, 1), "2026-07-28");
  await client.subscribe({ tools: true });
  await expect(client.subscribe({ tools: true })).rejects.toThrow("Too many calls at once");
  expect((await client.tools.call("hi")).content).toMatchObject([{ text: "done" }]);
});

test("the calls of one client are not those of another, and a port and stdio can be told how many", async () => {
  const { server, running } = createHeld();
  const target = await overSocket(server, 1);
  const [one, other] = [await open(target, "2025-11-25"), await open(target, "2025-11-25")];
  const onPort = await open(await overPort(server, 1), "2025-11-25");
  const clients = [one, other, onPort];
  for (const client of [...clients, ...clients]) void client.tools.call("hold").catch(() => {});
  await Promise.all(clients.map((client) => client.ping()));
  expect(running.value).toBe(3);

  await expect(overPort(server, 0)).rejects.toThrow(UsageError);
  const streams = { input: new PassThrough(), output: new PassThrough() };
  await expect(serveStdio(server, { ...streams, maxCalls: Number.NaN })).rejects.toThrow(UsageError);
});

test("calls in memory are not counted", async () => {
  const { server, release, running } = createHeld();
  const client = await open(server, "2025-11-25");
  const calls = Array.from({ length: 2_000 }, () => client.tools.call("hold"));
  await running.reached(2_000);
  release();
  await Promise.all(calls);
});
