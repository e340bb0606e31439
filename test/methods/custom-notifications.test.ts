import { once } from "node:events";
import { createServer, type LogEntry, type ServerOptions } from "allspeak";
import { connect } from "allspeak/client";
import { serveHttp } from "allspeak/node";
import { describe, expect, onTestFinished, test } from "vitest";
import { reachInProcess } from "../matrix/in-process.ts";
import { entries, open } from "../support/http/entries.ts";
import { exchange } from "../support/http/exchange.ts";
import { openSession } from "../support/http/raw-session.ts";
import { toNewest } from "../support/http/stateless-request.ts";
import { alone, openRaw } from "../support/raw-client.ts";
import { turns } from "../support/turns.ts";

const extension = "com.acme/reports";
const capabilities = { extensions: { [extension]: {} } };

/** A server with a listener, of an extension if one is named, and what it heard. */
function createListening(options: Partial<ServerOptions> = {}, of?: string) {
  const heard: unknown[] = [];
  const log: LogEntry[] = [];
  const server = createServer({ name: "s", version: "1", log: (entry) => log.push(entry), ...options });
  const stop = server.onNotification("acme/seen", { extension: of }, (params) => heard.push(params));
  return { server, heard, log, stop };
}

test("a listener that is removed takes its extension with it", async () => {
  const { server, stop, heard } = createListening({}, extension);
  await using before = await connect(server, { capabilities });
  expect(before.server.capabilities.extensions).toHaveProperty([extension]);
  stop();
  await using after = await connect(server, { capabilities });
  expect(after.server.capabilities.extensions).toBeUndefined();
  await after.notify("acme/seen");
  await after.ping();
  expect(heard).toEqual([]);
});

test.each(["2025-11-25", "2026-07-28"] as const)("a mounted server hears notifications in %s", async (of) => {
  const inner = createListening({}, extension);
  const middle = createServer({ name: "middle", version: "1" });
  middle.mount("inner", inner.server);
  const outer = createServer({ name: "outer", version: "1" });
  const registration = outer.mount("middle", middle);
  await using client = await connect(outer, { revisions: [of], capabilities });
  expect(client.server.capabilities.extensions).toHaveProperty([extension]);
  await client.notify("acme/seen", { n: 1 });
  await client.ping();
  expect(inner.heard).toEqual([{ n: 1 }]);
  registration.remove();
  await client.notify("acme/seen", { n: 2 });
  await client.ping();
  expect(inner.heard).toHaveLength(1);
});

test.each(["memory", "http"] as const)("a notification of an extension needs it, over %s", async (name) => {
  const { server, heard } = createListening({}, extension);
  const target = await reachInProcess(server, name);
  for (const revision of ["2025-11-25", "2026-07-28"] as const) {
    await using plain = await connect(target, { revisions: [revision] });
    await plain.notify("acme/seen", { by: "plain" });
    await plain.ping();
    await using client = await connect(target, { revisions: [revision], capabilities });
    await client.notify("acme/seen", { by: revision });
    await client.ping();
  }
  expect(heard).toEqual([{ by: "2025-11-25" }, { by: "2026-07-28" }]);
});

describe("a notification without metadata", () => {
  test("is dropped on a pipe before initialize, and logged once", async () => {
    const { server, heard, log } = createListening();
    const client = openRaw(server);
    for (let n = 0; n < 5; n++) client.notify("acme/seen", { n });
    await client.initialize();
    client.notify("acme/seen", { n: 9 });
    await client.settle();
    expect(heard).toEqual([{ n: 9 }]);
    expect(log).toMatchObject([{ message: "acme/seen was dropped" }]);
  });

  test("is heard on a pipe that only has revisions without sessions", async () => {
    const { server, heard } = createListening({ revisions: ["2026-07-28"] });
    openRaw(server).notify("acme/seen", { n: 1 });
    await turns(1);
    expect(heard).toEqual([{ n: 1 }]);
  });

  test.each(entries)("is heard where the header names the revision, $name", async (entry) => {
    for (const requires of [[], ["sampling"]]) {
      const { server, heard } = createListening({ requires });
      const { url } = await open(entry, server);
      const { headers } = toNewest("acme/seen", {});
      const body = { jsonrpc: "2.0", method: "acme/seen", params: {} };
      expect((await exchange(url, { body, headers })).status).toBe(202);
      await turns(2);
      expect(heard).toHaveLength(requires.length === 0 ? 1 : 0);
    }
  });
});

test("a notification of a client that lacks what the server requires is dropped", async () => {
  for (const revisions of [undefined, ["2026-07-28"]] as const) {
    const { server, heard } = createListening({ requires: ["sampling"], ...(revisions && { revisions }) });
    const client = openRaw(server);
    client.notify("acme/seen");
    client.notify("acme/seen", alone());
    await turns(1);
    expect(heard).toEqual([]);
    client.notify("acme/seen", alone({ n: 1 }, { sampling: {} }));
    await turns(1);
    expect(heard).toEqual([{ n: 1 }]);
  }
});

test.each(["memory", "http", "websocket"] as const)("cancellations are heard over %s", async (name) => {
  const { server } = createListening();
  const heard: unknown[] = [];
  server.onNotification("notifications/cancelled", {}, ({ requestId }) => heard.push(requestId));
  server.tool("wait", "Waits", async (_args, ctx) => {
    await once(ctx.signal, "abort");
    return "";
  });
  await using client = await connect(await reachInProcess(server, name), { revisions: ["2025-11-25"] });
  const stop = new AbortController();
  const call = client.tools.call("wait", {}, { signal: stop.signal }).catch(() => {});
  await client.ping();
  stop.abort();
  await call;
  await client.ping();
  expect(heard).toEqual([expect.any(Number)]);
});

test("notifications in a batch are heard, on a pipe and over HTTP", async () => {
  const seen = (n: number) => ({ jsonrpc: "2.0", method: "acme/seen", params: { n } });
  const piped = createListening();
  const client = openRaw(piped.server);
  await client.initialize("2025-03-26");
  client.say([seen(1), seen(2)]);
  await client.settle();
  expect(piped.heard).toEqual([{ n: 1 }, { n: 2 }]);

  const posted = createListening();
  const running = await serveHttp(posted.server);
  onTestFinished(() => running.close(0));
  const session = await openSession(running.url, "2025-03-26");
  expect((await session.post([seen(1), seen(2)])).status).toBe(202);
  const ping = { jsonrpc: "2.0", id: 7, method: "ping" };
  expect((await session.post([seen(3), ping])).status).toBe(200);
  expect(posted.heard).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
});

test("a listener that fails does not stop the others, and is logged once a minute", async () => {
  const { server, heard, log, stop } = createListening();
  stop();
  let failed = 0;
  for (const problem of ["first", "second"])
    server.onNotification("acme/seen", {}, () => {
      failed++;
      throw new Error(problem);
    });
  server.onNotification("acme/seen", {}, (params) => heard.push(params));
  await using client = await connect(server);
  for (let n = 0; n < 20; n++) await client.notify("acme/seen", { n });
  await client.ping();
  expect({ failed, heard: heard.length }).toEqual({ failed: 40, heard: 20 });
  const message = "A listener of acme/seen failed";
  expect(log).toMatchObject([
    { message, cause: { message: "first" } },
    { message, cause: { message: "second" } },
  ]);
  const { now } = Date;
  onTestFinished(() => {
    Date.now = now;
  });
  Date.now = () => now() + 61_000;
  await client.notify("acme/seen");
  await client.ping();
  expect(log).toHaveLength(4);
});
