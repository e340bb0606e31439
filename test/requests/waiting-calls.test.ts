// Calls that come while the code for calls is loaded wait for it, in their order.
import { createMemoryPipe, createServer, servePipe, tool } from "allspeak";
import { expect, onTestFinished, test } from "vitest";
import { callPart } from "../../src/lib/async/on-demand.ts";
import { RawClient } from "../support/raw-client.ts";

const initialize = {
  ...{ jsonrpc: "2.0", id: "open", method: "initialize" },
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
};
const call = (id: number, name: string) => ({
  ...{ jsonrpc: "2.0", id, method: "tools/call" },
  params: { name, arguments: {} },
});
const cancel = (requestId: number) => ({
  ...{ jsonrpc: "2.0", method: "notifications/cancelled" },
  params: { requestId },
});

/** A server, its client in a session, and the names of the tools that ran. */
function open(maxCalls?: number) {
  const ran: string[] = [];
  const quick = tool("quick", {}, () => {
    ran.push("quick");
    return "";
  });
  const endless = tool("endless", {}, async (_, { signal }) => {
    ran.push("endless");
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    return "";
  });
  const [near, far] = createMemoryPipe();
  const server = createServer({ name: "test", version: "1.0.0", tools: [quick, endless] });
  const connection = servePipe(server, far, { maxCalls });
  onTestFinished(() => connection.close(0));
  const client = new RawClient(near);
  client.say(initialize);
  return { server, client, ran: ran as readonly string[] };
}

/** Begins to load code for calls; returns the function that ends it. */
function beginLoading(): () => void {
  let end = () => {};
  const code = new Promise<void>((resolve) => {
    end = resolve;
  });
  void callPart(() => code).use(() => {});
  return end;
}

const ids = (client: RawClient) => client.heard.map(({ id }) => id);

test("waiting calls start in their order, as far as there is room, and the client is heard meanwhile", async () => {
  const { client, ran } = open(1);
  await client.settle();
  const endLoading = beginLoading();
  client.say(call(1, "endless"));
  client.say(call(2, "quick"));
  await client.settle();
  expect(ran).toEqual([]);
  endLoading();
  await client.settle();
  expect(ran).toEqual(["endless"]);
  client.say(cancel(1));
  await client.settle();
  expect(ran).toEqual(["endless", "quick"]);
  expect(ids(client)).toEqual(["open", 2]);
});

test("a call that comes when the room is full waits behind those that wait already", async () => {
  const { client, ran } = open(1);
  await client.settle();
  client.say(call(1, "endless"));
  client.say(call(2, "endless"));
  client.say(call(3, "quick"));
  await client.settle();
  expect(ran).toEqual(["endless"]);
  client.say(cancel(1));
  await client.settle();
  expect(ran).toEqual(["endless", "endless"]);
  client.say(cancel(2));
  await client.settle();
  expect(ran).toEqual(["endless", "endless", "quick"]);
  expect(ids(client)).toEqual(["open", 3]);
});

const refusal = { error: { code: -32603, message: expect.stringContaining("Too many calls") } };

test("ten thousand calls may wait for room, and the next one is refused", async () => {
  const { client, ran } = open(1);
  await client.settle();
  client.say(call(1, "endless"));
  for (let id = 2; id <= 10_001; id++) client.say(call(id, "quick"));
  client.say(call(10_002, "quick"));
  await client.settle();
  expect(client.heard.at(-1)).toMatchObject({ id: 10_002, ...refusal });
  client.say(cancel(1));
  await client.settle();
  expect(ran).toHaveLength(10_001);
  client.say(call(10_003, "quick"));
  await client.settle();
  expect(client.heard.at(-1)).toMatchObject({ id: 10_003, result: {} });
});

test("calls of four megabytes may wait for room, and one beyond is refused", async () => {
  const { client, ran } = open(1);
  await client.settle();
  const large = (id: number) => ({
    ...call(id, "quick"),
    params: { name: "quick", arguments: { text: "x".repeat(1_500_000) } },
  });
  client.say(call(1, "endless"));
  for (const id of [2, 3, 4]) client.say(large(id));
  await client.settle();
  expect(client.heard.at(-1)).toMatchObject({ id: 4, ...refusal });
  client.say(cancel(1));
  await client.settle();
  expect(ran).toEqual(["endless", "quick", "quick"]);
  client.say(large(5));
  await client.settle();
  expect(client.heard.at(-1)).toMatchObject({ id: 5, result: {} });
});

test("a waiting call that is cancelled leaves its room at once, and never runs", async () => {
  const { client, ran } = open(1);
  await client.settle();
  const toLarge = (id: number) => ({
    ...call(id, "quick"),
    params: { name: "quick", arguments: { text: "x".repeat(2_000_000) } },
  });
  client.say(call(1, "endless"));
  for (let id = 2; id <= 10_001; id++) client.say(call(id, "quick"));
  for (let id = 2; id <= 10_001; id++) client.say(cancel(id));
  const large = [10_002, 10_003];
  for (const id of large) client.say(toLarge(id));
  for (const id of large) client.say(cancel(id));
  for (const id of large) client.say(toLarge(id));
  client.say(call(10_004, "quick"));
  await client.settle();
  expect(ids(client)).toEqual(["open"]);
  client.say(cancel(1));
  await client.settle();
  expect(ran).toEqual(["endless", "quick", "quick", "quick"]);
  expect(ids(client)).toEqual(["open", 10_002, 10_003, 10_004]);
});

test("a waiting call ends with its session, and never runs in the next one", async () => {
  const { client, ran } = open();
  await client.settle();
  const endLoading = beginLoading();
  client.say(call(1, "quick"));
  client.say({ ...initialize, id: "again" });
  await client.settle();
  expect(ids(client)).toEqual(["open", 1, "again"]);
  endLoading();
  await client.settle();
  expect(ran).toEqual([]);
  client.say(call(2, "quick"));
  await client.settle();
  expect(ids(client)).toEqual(["open", 1, "again", 2]);
});

test("a waiting call of a connection that closes never runs", async () => {
  const { client, ran } = open();
  await client.settle();
  const endLoading = beginLoading();
  client.say(call(1, "quick"));
  await client.settle();
  await client.close();
  endLoading();
  await client.settle();
  expect(ran).toEqual([]);
});

/** Mounts something whose items are not ready; returns the function that makes them so. */
function mountLate(server: ReturnType<typeof createServer>, prefix = "late"): () => void {
  let end = () => {};
  const ready = new Promise<void>((resolve) => {
    end = resolve;
  });
  const mount = { ready, capabilities: {}, request: async () => ({}), onChange: () => () => {} };
  server.mount(prefix, { "~mount": () => mount });
  return end;
}

test("a call that is cancelled while items are not ready never runs", async () => {
  const { client, ran, server } = open();
  await client.settle();
  const endMount = mountLate(server);
  client.say(call(1, "quick"));
  client.say(cancel(1));
  client.say(call(2, "quick"));
  await client.settle();
  endMount();
  await client.settle();
  expect(ran).toEqual(["quick"]);
  expect(ids(client)).toEqual(["open", 2]);
});

test("a session that opens while items are not ready hears of later changes", async () => {
  const { client, server } = open();
  const endMount = mountLate(server);
  client.say({ jsonrpc: "2.0", method: "notifications/initialized" });
  await client.settle();
  expect(client.heard).toEqual([]);
  endMount();
  await client.settle();
  server.tool("later", {}, () => "");
  while (client.heard.length < 2) await client.settle();
  expect(client.heard.at(-1)).toMatchObject({ method: "notifications/tools/list_changed" });
});

test("a session that opens while one late mount follows another hears of later changes", async () => {
  const { client, server } = open();
  const endFirst = mountLate(server, "first");
  await client.settle();
  const endSecond = mountLate(server, "second");
  client.say({ jsonrpc: "2.0", method: "notifications/initialized" });
  await client.settle();
  endFirst();
  await client.settle();
  endSecond();
  await client.settle();
  expect(ids(client)).toEqual(["open"]);
  server.tool("later", {}, () => "");
  while (client.heard.length < 2) await client.settle();
  expect(client.heard.at(-1)).toMatchObject({ method: "notifications/tools/list_changed" });
});
