import { createServer } from "allspeak";
import { connect, type LogMessage } from "allspeak/client";
import { serveHttp } from "allspeak/node";
import { expect, test } from "vitest";

const make = () => createServer({ name: "test", version: "1.0.0" });

async function listen(target: Parameters<typeof connect>[0], revision: "2025-06-18" | "2026-07-28") {
  const messages: LogMessage[] = [];
  const waiting = new Map<unknown, () => void>();
  const onLog = (message: LogMessage) => {
    messages.push(message);
    waiting.get(message.data)?.();
  };
  const received = (data: unknown) => new Promise<void>((resolve) => waiting.set(data, resolve));
  const client = await connect(target, { revisions: [revision], onLog });
  return { client, messages, received };
}

test("a server logs outside a call to its sessions, on a pipe and over HTTP", async () => {
  const server = make();
  const running = await serveHttp(server);
  const listeners = await Promise.all([listen(server, "2025-06-18"), listen(running.url, "2025-06-18")]);
  for (const { client } of listeners) await client.ping();
  const received = listeners.map((listener) => listener.received("full"));
  server.log("warning", "full", { logger: "disk" });
  await Promise.all(received);
  for (const { client, messages } of listeners) {
    expect(messages).toEqual([{ level: "warning", logger: "disk", data: "full" }]);
    await client.close();
  }
  await running.close();
});

test("a client receives the levels that it asked for, by default those from info", async () => {
  const server = make();
  const { client, messages } = await listen(server, "2025-06-18");
  server.log("debug", 1);
  server.log("info", 2);
  await client.ping();
  await client.setLogLevel("error");
  server.log("warning", 3);
  server.log("error", 4);
  await client.ping();
  expect(messages.map(({ data }) => data)).toEqual([2, 4]);
  await client.close();
});

test("a message for one session reaches no other", async () => {
  const server = make();
  let session: string | undefined;
  server.tool("me", {}, (_, ctx) => {
    session = ctx.session?.id;
  });
  const [one, two] = await Promise.all([listen(server, "2025-06-18"), listen(server, "2025-06-18")]);
  await one.client.tools.call("me");
  server.log("info", "for one", { session });
  for (const { client } of [one, two]) await client.ping();
  expect([one.messages.length, two.messages.length]).toEqual([1, 0]);
  await Promise.all([one.client.close(), two.client.close()]);
});

test("a client of 2026-07-28, where log messages belong to requests, receives none", async () => {
  const server = make();
  const { client, messages } = await listen(server, "2026-07-28");
  await client.setLogLevel("debug");
  server.log("emergency", "x");
  await client.ping();
  expect(messages).toEqual([]);
  await client.close();
});

test("a mounted server logs to the clients of its host", async () => {
  const inner = make();
  const outer = make();
  outer.mount("inner", inner);
  const { client, messages } = await listen(outer, "2025-06-18");
  inner.log("error", "from inside");
  await client.ping();
  expect(messages).toMatchObject([{ data: "from inside" }]);
  await client.close();
});

test("a client that reads slowly misses older messages, and no more than a hundred wait for it", async () => {
  const server = make();
  const { client, messages, received } = await listen(server, "2025-06-18");
  const last = received(999);
  for (let at = 0; at < 1_000; at++) server.log("info", at);
  await last;
  await client.ping();
  expect(messages.length).toBeLessThanOrEqual(101);
  await client.close();
});

test("an unknown level is refused in words, on the server and in a handler", async () => {
  const server = make();
  expect(() => server.log("warn" as never, "x")).toThrow('"warn" is not a log level; use one of debug, info');
  let thrown: unknown;
  server.tool("log", {}, async (_, ctx) => {
    thrown = await ctx.log("hello" as never, undefined).catch((error: unknown) => error);
  });
  const client = await connect(server);
  await client.tools.call("log");
  expect(thrown).toMatchObject({
    code: "usage",
    message: expect.stringContaining('"hello" is not a log level'),
  });
  await client.close();
});
