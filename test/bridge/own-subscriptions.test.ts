import { fileURLToPath } from "node:url";
import { createServer, type Server } from "allspeak";
import { type BridgeOptions, openBridge } from "allspeak/bridge";
import type { Target, Transport } from "allspeak/client";
import { openGateway } from "allspeak/gateway";
import { describe, expect, it, onTestFinished } from "vitest";
import { memoryTransport } from "../../src/transports/memory/transport.ts";
import { serveOfficialSessions } from "../support/http/official-sessions.ts";
import { openClient } from "../support/open-client.ts";
import { Queue } from "../support/queue.ts";
// @ts-expect-error It is a program, too, and has no types.
import { createNoting } from "./fixtures/noting-server.mjs";

const program = fileURLToPath(new URL("fixtures/noting-server.mjs", import.meta.url));
const uri = "note://one";

const targets = {
  stdio: async () => ({ command: process.execPath, args: [program, "--stdio"] }),
  HTTP: () => serveOfficialSessions(createNoting),
};

async function bridgeTo(target: Target, options: BridgeOptions = {}): Promise<Server> {
  const bridge = await openBridge(target, options);
  onTestFinished(() => bridge.close());
  return bridge.server;
}

async function gatewayTo(target: Target, options: BridgeOptions = {}): Promise<Server> {
  const tools = { in: Object.fromEntries(["touch", "add", "read"].map((rename) => [rename, { rename }])) };
  const servers = { in: target as string };
  const gateway = await openGateway({ servers, tools, listMs: 60_000, ...options });
  onTestFinished(() => gateway.close());
  return gateway.server;
}

async function listen(target: Server) {
  const updates = new Queue<unknown>();
  const client = await openClient(target, {
    revisions: ["2025-11-25"],
    onNotification: (method, params) => {
      if (method === "notifications/resources/updated") updates.push(params.uri);
    },
  });
  return { client, updates };
}

type Listener = Awaited<ReturnType<typeof listen>>;

/** The next update that a call causes. Over HTTP, the server drops what it sends before the stream is open. */
async function touchUntilUpdated({ client, updates }: Listener): Promise<unknown> {
  const first = updates.next();
  let isThere = false;
  void first.then(() => {
    isThere = true;
  });
  while (!isThere) await client.tools.call("touch");
  return first;
}

/** Settles when the server has these subscriptions of a session. */
async function untilSubscribed({ client }: Listener, uris: string): Promise<void> {
  for (;;) {
    const [block] = (await client.tools.call("read")).content;
    if (block?.type === "text" && block.text === uris) return;
  }
}

describe.each(Object.entries(targets))(
  "a server over %s that keeps resources for each session",
  (_, reach) => {
    describe.each([
      ["bridge", bridgeTo],
      ["gateway", gatewayTo],
    ] as const)("behind a %s", (_name, serve) => {
      it("sends updates to the session that has subscribed, and to no other, until it unsubscribes", async () => {
        const server = await serve(await reach());
        const [ann, bob] = [await listen(server), await listen(server)];
        for (const { client } of [ann, bob]) await client.tools.call("read");
        const subscription = await ann.client.subscribe({ resources: [uri] });
        expect(await touchUntilUpdated(ann)).toBe(uri);
        await bob.client.tools.call("touch");
        await subscription.close();
        await untilSubscribed(ann, "");
        ann.updates.drain();
        await ann.client.tools.call("touch");
        expect([...ann.updates.drain(), ...bob.updates.drain()]).toEqual([]);
      });

      it("gets the subscriptions of a session over a connection that opens later", async () => {
        const ann = await listen(await serve(await reach()));
        await ann.client.subscribe({ resources: [uri] });
        expect((await ann.client.tools.call("read")).content).toEqual([{ type: "text", text: uri }]);
        expect(await touchUntilUpdated(ann)).toBe(uri);
      });
    });
  },
);

/** A server of 2026-07-28 that is started for each connection, as over stdio, and keeps its notes in its process. */
function startedForEach(): Transport {
  const open: Transport["open"] = (options) => {
    const server = createServer({ name: "notes", version: "1", revisions: ["2026-07-28"] });
    server.resource(uri, { name: "one" }, () => "");
    server.tool("read", {}, () => "");
    server.tool("touch", {}, () => {
      void server.resources.updated(uri);
      return "";
    });
    return memoryTransport(server).open(options);
  };
  return { kind: "memory", open };
}

describe.each([
  ["bridge", bridgeTo],
  ["gateway", gatewayTo],
] as const)("a server of 2026-07-28 for each connection, behind a %s", (_, serve) => {
  it("sends updates to the session whose call has caused them, and to no other", async () => {
    const server = await serve(startedForEach());
    const [ann, bob] = [await listen(server), await listen(server)];
    for (const { client } of [ann, bob]) {
      await client.tools.call("read");
      await client.subscribe({ resources: [uri] });
    }
    await ann.client.tools.call("touch");
    expect(await ann.updates.next()).toBe(uri);
    await bob.client.tools.call("read");
    expect([...ann.updates.drain(), ...bob.updates.drain()]).toEqual([]);
  });
});

it("a session subscribes again over the connection that follows a lost one", async () => {
  const ann = await listen(await bridgeTo(await targets.stdio()));
  await ann.client.tools.call("read");
  await ann.client.subscribe({ resources: [uri] });
  expect(await ann.client.tools.call("exit")).toMatchObject({ isError: true });
  expect((await ann.client.tools.call("touch")).content).toEqual([{ type: "text", text: uri }]);
  expect(await ann.updates.next()).toBe(uri);
});

it("a session that ends takes its subscription back", async () => {
  const sent = new Queue<string>();
  const onMessage: BridgeOptions["connect"] = {
    onMessage: (message, direction) => {
      if (direction === "sent" && "method" in message && message.method === "resources/unsubscribe")
        sent.push(message.method);
    },
  };
  const { client } = await listen(await bridgeTo(await targets.stdio(), { connect: onMessage }));
  await client.tools.call("read");
  await client.subscribe({ resources: [uri] });
  await client.close();
  // Over its own connection, and over the one for all.
  expect(await sent.take(2)).toHaveLength(2);
});

it("an update for one session does not reach a listener without a session", async () => {
  const server = await bridgeTo(await targets.stdio());
  const ann = await listen(server);
  await ann.client.tools.call("read");
  const updates: unknown[] = [];
  const other = await openClient(server, { revisions: ["2026-07-28"] });
  await other.subscribe({ resources: [uri] }, (change) => updates.push(change));
  await ann.client.subscribe({ resources: [uri] });
  await ann.client.tools.call("touch");
  expect(await ann.updates.next()).toBe(uri);
  await other.tools.call("read");
  expect(updates).toEqual([]);
});

describe.each([
  ["bridge", bridgeTo],
  ["gateway", gatewayTo],
] as const)("a %s", (_, serve) => {
  it.each([
    ["2025-11-25", "per-session"],
    ["2025-11-25", "per-principal"],
    ["2026-07-28", "per-session"],
    ["2026-07-28", "per-principal"],
  ] as const)(
    "passes an update that all connections report to each session once, from a server of %s with isolation %s",
    async (revision, isolation) => {
      const upstream = createServer({ name: "upstream", version: "1", revisions: [revision] });
      for (const name of ["one", "two"]) upstream.resource(`note://${name}`, { name }, () => "");
      upstream.tool("read", {}, () => "");
      const server = await serve(upstream, { isolation });
      const listeners = [await listen(server), await listen(server)];
      for (const { client } of listeners) {
        await client.tools.call("read");
        await client.subscribe({ resources: ["note://one", "note://two"] });
      }
      void upstream.resources.updated("note://one");
      for (const { updates } of listeners) expect(await updates.next()).toBe("note://one");
      void upstream.resources.updated("note://two");
      for (const { updates } of listeners) expect(await updates.next()).toBe("note://two");
      for (const { client } of listeners) await client.tools.call("read");
      expect(listeners.flatMap(({ updates }) => updates.drain())).toEqual([]);
    },
  );
});
