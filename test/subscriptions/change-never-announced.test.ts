import { expect, onTestFinished, test } from "vitest";
import { type Change, type Client, connect } from "../../src/client.ts";
import { memoryState } from "../../src/http.ts";
import { createServer, type Server } from "../../src/index.ts";
import { serveHttp } from "../../src/node.ts";
import { openSession, RawSession } from "../support/http/raw-session.ts";
import { Queue } from "../support/queue.ts";

async function openHeard(server: Server, target: Server | string = server) {
  const heard = new Queue<Change>();
  const client: Client = await connect(target, { revisions: ["2025-11-25"] });
  onTestFinished(() => client.close());
  client.onChange((change) => heard.push(change));
  return { client, heard };
}

function createOfTools(): Server {
  const server = createServer({ name: "growing", version: "1" });
  server.tool("first", "The first", () => "1");
  return server;
}

/** Adds one of each kind, and a tool, whose notice is the last to be sent. */
function grow(server: Server): void {
  server.prompt("later", {}, () => "later");
  server.resource("test://later", { name: "later" }, () => "later");
  server.tool("second", "The second", () => "2");
}

test.each(["in memory", "over HTTP"])(
  "a session is told of changes of the lists that it was told would change, and of no others, %s",
  async (where) => {
    const server = createOfTools();
    const running = await serveHttp(server);
    onTestFinished(() => running.close(0));
    const target = where === "in memory" ? server : running.url;
    const { client, heard } = await openHeard(server, target);
    expect(client.server.capabilities).not.toHaveProperty("prompts");
    grow(server);
    expect(await heard.next()).toEqual({ kind: "tools" });
    await client.ping();
    expect(heard.drain()).toEqual([]);

    const later = await openHeard(server, target);
    server.prompt("latest", {}, () => "latest");
    expect(await later.heard.next()).toEqual({ kind: "prompts" });
  },
);

test("a server that says beforehand what will change tells of it", async () => {
  const capabilities = { prompts: { listChanged: true } };
  const server = createServer({ name: "growing", version: "1", capabilities });
  const { heard } = await openHeard(server);
  server.prompt("later", {}, () => "later");
  expect(await heard.next()).toEqual({ kind: "prompts" });
});

test("a session that another process opened is told of the same", async () => {
  const state = memoryState();
  const first = await serveHttp(createOfTools(), { state });
  const moved = createOfTools();
  const second = await serveHttp(moved, { state });
  onTestFinished(async () => {
    await second.close(0);
    await first.close(0);
  });
  const { id } = await openSession(first.url, "2025-11-25");
  const session = new RawSession(second.url, id, "2025-11-25");
  const events = await session.listen();
  grow(moved);
  expect(await events.message()).toMatchObject({ method: "notifications/tools/list_changed" });
  events.cut();
});
