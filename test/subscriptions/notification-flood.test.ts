import { describe, expect, it, onTestFinished } from "vitest";
import { connect, httpTransport, type Transport } from "../../src/client.ts";
import { createServer, type Server } from "../../src/index.ts";
import { serveHttp, serveSocket, socketTransport } from "../../src/node.ts";
import { entries, open } from "../support/http/entries.ts";
import { askNewest } from "../support/http/stateless-request.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

const uris = ["test://a", "test://b"];
const floods = 100_000;

function createFlooded(): Server {
  const server = createServer({ name: "flooded", version: "1" });
  server.resource("test://{name}", {}, () => "x");
  return server;
}

function flood(server: Server): void {
  for (let at = 0; at < floods; at++) for (const uri of uris) void server.resources.updated(uri);
  void server.resources.updated("test://last");
}

describe.each(entries)("a flood of updates within a turn, $name", (entry) => {
  it("reaches a listener as one of each", async () => {
    const server = createFlooded();
    const { url, close } = await open(entry, server);
    const notifications = { resourceSubscriptions: [...uris, "test://last"] };
    const answer = await askNewest(url, "subscriptions/listen", { notifications });
    const events = answer.events();
    await events.message();
    flood(server);
    const closed = close();
    const told = await events.messages<{ params?: { uri: string } }>();
    const heard = told.flatMap(({ params }) => params?.uri ?? []);
    expect(heard.length).toBeLessThanOrEqual(4);
    expect(new Set(heard)).toEqual(new Set([...uris, "test://last"]));
    await closed;
  });
});

async function overSocket(server: Server): Promise<Transport> {
  const path = `${createTemporaryFolder()}/flood.sock`;
  const running = await serveSocket(server, { path });
  onTestFinished(() => running.close(0));
  return socketTransport({ path });
}

async function overHttp(server: Server, path = "/mcp"): Promise<Transport> {
  const running = await serveHttp(server);
  onTestFinished(() => running.close(0));
  return httpTransport(new URL(path, running.url));
}

it.each([
  ["a socket", "2025-11-25", overSocket],
  ["a socket", "2026-07-28", overSocket],
  ["HTTP", "2025-11-25", overHttp],
  ["HTTP", "2026-07-28", overHttp],
  ["HTTP+SSE", "2024-11-05", (server: Server) => overHttp(server, "/sse")],
] as const)(
  "a flood of updates within a turn reaches a subscriber over %s in %s as one of each",
  async (_, revision, serve) => {
    const server = createFlooded();
    const heard: string[] = [];
    const client = await connect(await serve(server), { revisions: [revision] });
    onTestFinished(() => client.close());
    await new Promise<void>((resolve) => {
      const watching = { resources: [...uris, "test://last"] };
      const subscribed = client.subscribe(watching, (change) => {
        if (change.kind === "resource") heard.push(change.uri);
        if (heard.at(-1) === "test://last") resolve();
      });
      void subscribed.then(() => flood(server));
    });
    expect(heard.length).toBeLessThanOrEqual(4);
    expect(new Set(heard)).toEqual(new Set([...uris, "test://last"]));
  },
);

it("a listener may not name resources without end", async () => {
  const client = await connect(createFlooded(), { revisions: ["2026-07-28"] });
  onTestFinished(() => client.close());
  const resources = Array.from({ length: 1_001 }, (_, at) => `test://${at}`);
  await expect(client.subscribe({ resources }, () => {})).rejects.toMatchObject({ wireCode: -32_602 });
  const endless = { resources: [`test://${"x".repeat(1_000_000)}`] };
  await expect(client.subscribe(endless, () => {})).rejects.toMatchObject({ wireCode: -32_602 });
});
