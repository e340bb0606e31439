import { fileURLToPath } from "node:url";
import type { Server } from "allspeak";
import { type BridgeOptions, openBridge } from "allspeak/bridge";
import { type Client, connect } from "allspeak/client";
import { openGateway } from "allspeak/gateway";
import { serveHttp } from "allspeak/node";
import { describe, expect, it, onTestFinished } from "vitest";
import { serveOfficialSessions } from "../support/http/official-sessions.ts";
import { Queue } from "../support/queue.ts";
import { alone, openRaw } from "../support/raw-client.ts";
import { rootedServer } from "../support/rooted-server.ts";
// @ts-expect-error It is a program, too, and has no types.
import { createRooted } from "./fixtures/rooted-server.mjs";

const rooted = {
  command: process.execPath,
  args: [fileURLToPath(new URL("fixtures/rooted-server.mjs", import.meta.url)), "--stdio"],
};

async function open(target: Server | string, root: string): Promise<Client> {
  const client = await connect(target, { revisions: ["2025-11-25"], roots: [root] });
  onTestFinished(() => client.close());
  return client;
}

const textOf = async (client: Client, tool: string) => (await client.tools.call(tool)).content;

async function bridgeTo(server: Server, options: BridgeOptions = {}): Promise<Server> {
  const bridge = await openBridge(server, options);
  onTestFinished(() => bridge.close());
  return bridge.server;
}

async function gatewayTo(server: Server, options: BridgeOptions = {}): Promise<Server> {
  const gateway = await openGateway({
    servers: { in: server },
    tools: { in: { roots: { rename: "roots" } } },
    ...options,
  });
  onTestFinished(() => gateway.close());
  return gateway.server;
}

describe.each([
  ["bridge", bridgeTo],
  ["gateway", gatewayTo],
] as const)("a server behind a %s", (_, serve) => {
  it.each(["2024-11-05", "2025-11-25"] as const)(
    "of %s gets to know that the roots of a client have changed, and of no other client",
    async (revision) => {
      const { server, changed } = rootedServer(revision);
      const target = await serve(server);
      const [ann, bob] = [await open(target, "file:///ann"), await open(target, "file:///bob")];
      for (const client of [ann, bob]) await client.tools.call("roots");
      await ann.setRoots(["file:///elsewhere"]);
      expect(await changed.next()).toEqual(expect.any(String));
      expect(await textOf(ann, "roots")).toMatchObject([{ text: "file:///elsewhere" }]);
      expect(changed.drain()).toEqual([]);
    },
  );

  it("does not get to know it over a connection that several sessions have used", async () => {
    const { server, changed } = rootedServer();
    const target = await serve(server, { isolation: "per-principal" });
    const [ann, bob] = [await open(target, "file:///ann"), await open(target, "file:///bob")];
    await ann.tools.call("roots");
    await ann.setRoots(["file:///elsewhere"]);
    await changed.next();
    await bob.tools.call("roots");
    await ann.setRoots(["file:///nowhere"]);
    expect(await textOf(ann, "roots")).toMatchObject([{ text: "file:///nowhere" }]);
    expect(changed.drain()).toEqual([]);
  });

  it("does not get to know it from a sender without a session, whose connection others may use", async () => {
    const { server, changed } = rootedServer();
    const target = await serve(server);
    const capabilities = { roots: { listChanged: true } };
    const [ann, stranger] = [openRaw(target), openRaw(target)];
    await ann.result("tools/call", alone({ name: "roots" }, capabilities));
    stranger.notify("notifications/roots/list_changed", alone({}, capabilities));
    await stranger.result("tools/call", alone({ name: "roots" }, capabilities));
    expect(changed.drain()).toEqual([]);
  });
});

describe.each(["memory", "http"] as const)(
  "a server that asks for roots outside calls, for a client over %s",
  (near) => {
    /** The questions for roots, and the answers to them, on the connections to the server. */
    async function openRooted() {
      const [asked, answered] = [new Queue<object>(), new Queue<object>()];
      const bridge = await openBridge(rooted, {
        connect: {
          onMessage: (message, direction) => {
            if (direction === "received" && "method" in message && message.method === "roots/list")
              asked.push(message);
            if (direction === "sent" && "result" in message) answered.push(message);
          },
        },
      });
      const running = near === "http" ? await serveHttp(bridge.server) : undefined;
      onTestFinished(async () => {
        await running?.close(0);
        await bridge.close();
      });
      return { asked, answered, client: await open(running?.url ?? bridge.server, "file:///ann") };
    }

    it("gets them with the first request, whichever it is, and after a change with the next", async () => {
      const { client, asked, answered } = await openRooted();
      await client.tools.list().all();
      await answered.next();
      expect(await textOf(client, "roots")).toMatchObject([{ text: "file:///ann" }]);
      await asked.next();
      await client.setRoots(["file:///elsewhere"]);
      await asked.next();
      await client.tools.list({ fresh: true }).all();
      await answered.next();
      expect(await textOf(client, "roots")).toMatchObject([{ text: "file:///elsewhere" }]);
    });
  },
);

it("a server behind a gateway asks for changed roots while a call runs", async () => {
  const gateway = await openGateway({ servers: { rooted } });
  onTestFinished(() => gateway.close());
  const client = await open(gateway.server, "file:///ann");
  const running = new Queue<number>();
  const call = client.tools.call(
    "rooted__changed",
    {},
    { onProgress: ({ progress }) => running.push(progress) },
  );
  await running.next();
  await client.setRoots(["file:///elsewhere"]);
  expect((await call).content).toMatchObject([{ text: "file:///elsewhere" }]);
});

it("a server behind a bridge has taken the changed roots before it gets the next call", async () => {
  const asked = new Queue<object>();
  const posts: string[] = [];
  const bridge = await openBridge(await serveOfficialSessions(createRooted), {
    connect: {
      onMessage: (message, direction) =>
        direction === "received" &&
        "method" in message &&
        message.method === "roots/list" &&
        asked.push(message),
      fetch: async (url, init) => {
        const { method, result } = init?.body ? JSON.parse(String(init.body)) : {};
        if (method === "tools/call") posts.push("call sent");
        const response = await fetch(url, init);
        if (result) posts.push("answer taken");
        return response;
      },
    },
  });
  onTestFinished(() => bridge.close());
  const client = await open(bridge.server, "file:///ann");
  await textOf(client, "roots");
  asked.drain();
  await client.setRoots(["file:///elsewhere"]);
  await asked.next();
  posts.length = 0;
  expect(await textOf(client, "roots")).toMatchObject([{ text: "file:///elsewhere" }]);
  expect(posts).toEqual(["answer taken", "call sent"]);
});
