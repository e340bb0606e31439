import { join } from "node:path";
import { createServer, type Server } from "allspeak";
import { openBridge } from "allspeak/bridge";
import type { Client } from "allspeak/client";
import { openGateway } from "allspeak/gateway";
import { serveSocket, socketTransport } from "allspeak/node";
import { describe, expect, it, onTestFinished } from "vitest";
import { openClient } from "../support/open-client.ts";
import { Queue } from "../support/queue.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

function createOld(): Server {
  const server = createServer({ name: "old", version: "1", revisions: ["2025-11-25"] });
  server.tool("first", {}, () => "first");
  server.tool("wait", {}, () => new Promise<string>(() => {}));
  server.resource("note://one", { name: "one" }, () => "one");
  return server;
}

/** The server after a restart: it offers other items, and another kind of them. */
function createNew(): Server {
  const server = createServer({ name: "new", version: "2", revisions: ["2025-11-25"] });
  server.tool("second", {}, () => "second");
  server.resource("note://one", { name: "one" }, () => "one");
  server.prompt("hello", {}, () => "Hello");
  return server;
}

async function serveAt(path: string, server: Server) {
  const running = await serveSocket(server, { path });
  onTestFinished(() => running.close(0));
  return running;
}

async function bridgeTo(path: string): Promise<Server> {
  const bridge = await openBridge(socketTransport({ path }));
  onTestFinished(() => bridge.close());
  return bridge.server;
}

async function gatewayTo(path: string): Promise<Server> {
  const gateway = await openGateway({
    servers: { in: socketTransport({ path }) },
    tools: { in: { first: { rename: "first" }, second: { rename: "second" }, wait: { rename: "wait" } } },
    backOff: { firstMs: 100 },
    onProblem: () => {},
  });
  onTestFinished(() => gateway.close());
  return gateway.server;
}

const namesOf = async (client: Client) =>
  (await client.tools.list({ fresh: true }).all()).map(({ name }) => name);

describe.each([
  ["bridge", bridgeTo],
  ["gateway", gatewayTo],
] as const)("a server behind a %s that restarts with other items", (_, open) => {
  it("is followed again: its lists, its capabilities, the updates of its resources", async () => {
    const path = join(createTemporaryFolder(), "server.sock");
    const before = await serveAt(path, createOld());
    const target = await open(path);
    const [changes, updates] = [new Queue<string>(), new Queue<string>()];
    const client = await openClient(target, { revisions: ["2025-11-25"] });
    expect(await namesOf(client)).toContain("first");
    await client.subscribe({ resources: ["note://one"] }, ({ kind }) => updates.push(kind));
    client.onChange(({ kind }) => void changes.push(kind));

    await before.close(0);
    const renewed = createNew();
    await serveAt(path, renewed);
    while (!(await namesOf(client)).includes("second")) await changes.next();
    expect(await client.tools.call("second")).toMatchObject({ content: [{ text: "second" }] });
    // It may have changed meanwhile, and is followed from now on.
    expect(await updates.next()).toBe("resource");
    void renewed.resources.updated("note://one");
    expect(await updates.next()).toBe("resource");
    const newcomer = await openClient(target, { revisions: ["2025-11-25"] });
    expect(newcomer.server.capabilities.prompts).toBeDefined();
    expect(await newcomer.prompts.list().all()).toHaveLength(1);
  });

  it("fails the calls that ran, in words, and answers the next", async () => {
    const path = join(createTemporaryFolder(), "server.sock");
    const before = await serveAt(path, createOld());
    const client = await openClient(await open(path), { revisions: ["2025-11-25"] });
    await client.tools.call("first");
    const begun = new Queue<string>();
    const call = client.tools.call("wait");
    void before.close(0).then(() => begun.push("closed"));
    expect(await call).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/^The server "(in|old)" is (gone|not available)/) }],
    });
    await begun.next();
    await serveAt(path, createOld());
    expect((await client.tools.call("first")).content).toBeDefined();
  });
});
