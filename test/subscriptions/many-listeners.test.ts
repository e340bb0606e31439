import { createServer } from "allspeak";
import { expect, it } from "vitest";
import { openRaw, type RawClient } from "../support/raw-client.ts";

const uri = "note:///one";

async function openSubscribers(count: number) {
  const server = createServer({ name: "notes", version: "1", log: () => {} });
  server.resource(uri, { name: "one" }, () => "text");
  const clients = await Promise.all(
    Array.from({ length: count }, async () => {
      const client = openRaw(server);
      await client.initialize();
      await client.result("resources/subscribe", { uri });
      return client;
    }),
  );
  return { server, clients };
}

const updates = (client: RawClient) =>
  client.heard.filter(({ method }) => method === "notifications/resources/updated").length;

it("an update for many subscribers leaves turns to other work", async () => {
  const { server, clients } = await openSubscribers(1_000);
  void server.resources.updated(uri);
  const turns: number[] = [];
  while (clients.some((client) => updates(client) === 0)) {
    await new Promise((resolve) => setImmediate(resolve));
    turns.push(clients.filter((client) => updates(client) > 0).length);
  }
  expect(turns.some((reached) => reached > 0 && reached < clients.length)).toBe(true);
  await Promise.all(clients.map((client) => client.close()));
});

it("updates that come while one is being sent reach everybody, once more and not twice", async () => {
  const { server, clients } = await openSubscribers(600);
  void server.resources.updated(uri);
  void server.resources.updated(uri);
  void server.resources.updated(uri);
  await Promise.all(clients.map((client) => client.until(() => updates(client) === 2)));
  server.resource("note:///late", { name: "late" }, () => "text");
  const last = clients.map((client) =>
    client.until(({ method }) => method === "notifications/resources/list_changed"),
  );
  await Promise.all(last);
  expect(new Set(clients.map(updates))).toEqual(new Set([2]));
  await Promise.all(clients.map((client) => client.close()));
});
