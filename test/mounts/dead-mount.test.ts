import { afterEach, describe, expect, test, vi } from "vitest";
import { type Client, connect } from "../../src/client.ts";
import type { Change } from "../../src/contract/server-event.ts";
import { createServer, type LogEntry, RpcError, type Server } from "../../src/index.ts";
import type { RevisionName } from "../../src/protocol/negotiate.ts";
import { openClient } from "../support/open-client.ts";
import { everyCapability, handshakeServer, type Script, silence } from "../support/scripted-server.ts";

const revisions: RevisionName[] = ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

afterEach(() => vi.useRealTimers());

function offering(name: string): Server {
  const server = createServer({ name, version: "1" });
  server.tool("find", "Finds things", () => `found by ${name}`);
  const args = { type: "object", properties: { to: { type: "string" } } };
  server.prompt("trip", { args, complete: { to: () => ["Alta"] } }, () => "a trip");
  server.resource(`${name}://index`, { name: "index" }, () => "an index");
  server.resource(
    `${name}://{place}/map`,
    { name: "map", complete: { place: () => ["Bergen"] } },
    () => "a map",
  );
  return server;
}

/** A server with a tool of its own that has mounted these. */
function hosting(mounts: { readonly [prefix: string]: Client | Server }) {
  const entries: LogEntry[] = [];
  const host = createServer({ name: "host", version: "1", log: (entry) => entries.push(entry) });
  host.tool("own", "A tool of the host", () => "own");
  for (const [prefix, mount] of Object.entries(mounts)) host.mount(prefix, mount);
  return { host, entries };
}

/** A client of a server of which nothing works but the handshake, unless the script says how. */
function openBroken(script: Script, onProblem: (problem: Error) => void = () => {}) {
  return openClient(handshakeServer("2025-11-25", { capabilities: everyCapability, script }), {
    revisions: ["2025-11-25"],
    onProblem,
  });
}

const failing: Script = {
  "tools/list": () => {
    throw new RpcError(-32603, "Broken");
  },
};

async function listAll(client: Client) {
  return {
    tools: (await client.tools.list().all()).map(({ name }) => name),
    prompts: (await client.prompts.list().all()).map(({ name }) => name),
    resources: (await client.resources.list().all()).map(({ uri }) => uri),
    templates: (await client.resources.templates().all()).map(({ uriTemplate }) => uriTemplate),
  };
}

const living = {
  tools: ["own", "living_find"],
  prompts: ["living_trip"],
  resources: ["living://index"],
  templates: ["living://{place}/map"],
};

describe.each(revisions)("a host that speaks %s", (revision) => {
  async function withDead() {
    const dead = await connect(offering("dead"));
    const { host, entries } = hosting({ dead, living: offering("living") });
    const client = await openClient(host, { revisions: [revision] });
    await listAll(client);
    await dead.close();
    return { client, entries };
  }

  test("lists what the living have when a mounted client has closed, and reports it", async () => {
    const { client, entries } = await withDead();
    expect(await listAll(await client)).toEqual(living);
    expect(entries.map(({ message }) => message)).toEqual([expect.stringContaining('"dead"')]);
  });

  test("says which server is gone when its tool is called", async () => {
    const { client } = await withDead();
    const result = await client.tools.call("dead_find");
    expect(result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/"dead" is gone/) }],
    });
    await expect(client.prompts.get("dead_trip")).rejects.toMatchObject({
      wireCode: -32603,
      message: expect.stringMatching(/"dead" is gone/),
    });
  });

  test("still reads, completes and calls what the living have", async () => {
    const { client } = await withDead();
    expect((await client.tools.call("living_find")).content).toMatchObject([{ text: "found by living" }]);
    expect((await client.resources.read("living://index")).contents).toMatchObject([{ text: "an index" }]);
    const template = { type: "ref/resource" as const, uri: "living://{place}/map" };
    expect((await client.complete(template, { name: "place", value: "" })).values).toEqual(["Bergen"]);
  });

  test("names the server that is gone for a resource that no other has", async () => {
    const { client } = await withDead();
    await expect(client.resources.read("dead://index")).rejects.toThrow(/"dead" is gone/);
  });

  test("lists what others have when a mount declares lists and does not know their methods", async () => {
    const problems: Error[] = [];
    const broken = await openBroken({}, (problem) => problems.push(problem));
    const { host } = hosting({ broken, living: offering("living") });
    const client = await openClient(host, { revisions: [revision] });
    expect(await listAll(client)).toEqual(living);
    // The mounted client takes such a list as empty, and reports it to who connected it.
    expect(problems.map(({ cause }) => cause)).toMatchObject(Array(4).fill({ wireCode: -32601 }));
  });
});

test("a list that lacks a mount is not kept by clients", async () => {
  const broken = await openBroken(failing);
  const { host } = hosting({ broken });
  const client = await openClient(host, { revisions: ["2026-07-28"] });
  expect(await client.request("tools/list", {})).toMatchObject({ ttlMs: 0 });
});

test("a dead mount is reported once a minute, however often it is asked", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const broken = await openBroken(failing);
  const { host, entries } = hosting({ broken });
  const client = await openClient(host, { revisions: ["2025-11-25"] });
  for (let call = 0; call < 5; call++) await client.tools.list().all();
  expect(entries).toHaveLength(1);
  vi.setSystemTime(Date.now() + 61_000);
  await client.tools.list().all();
  expect(entries).toHaveLength(2);
});

test("a mount that never answers does not hold the lists of its host", async () => {
  const hanging = await openBroken({ "tools/list": () => silence });
  const { host, entries } = hosting({ hanging, living: offering("living") });
  const client = await openClient(host, { revisions: ["2025-11-25"] });
  vi.useFakeTimers();
  const listing = client.tools.list().all();
  await vi.advanceTimersByTimeAsync(20_000);
  expect((await listing).map(({ name }) => name)).toEqual(["own", "living_find"]);
  expect(entries).toMatchObject([{ message: expect.stringContaining('"hanging"') }]);
});

test("clients of the host are told that a mount has died", async () => {
  const dead = await connect(offering("dead"));
  const { host } = hosting({ dead });
  const client = await openClient(host, { revisions: ["2025-11-25"] });
  await client.ping();
  const heard = new Set<Change["kind"]>();
  const all = new Promise<void>((resolve) => {
    client.onChange(({ kind }) => {
      heard.add(kind);
      if (heard.size === 3) resolve();
    });
  });
  await dead.close();
  await all;
  expect([...heard].sort()).toEqual(["prompts", "resources", "tools"]);
});

test("the text of a failure inside the client of a mount stays in the log", async () => {
  const odd = await openBroken({
    "tools/call": () => ({ content: "not a list" }),
    "tools/list": () => ({ tools: [] }),
  });
  const { host, entries } = hosting({ odd });
  const client = await openClient(host, { revisions: ["2025-11-25"] });
  expect(await client.tools.call("odd_x")).toMatchObject({
    isError: true,
    content: [{ text: expect.stringMatching(/^The server "odd" failed/) }],
  });
  expect(entries).toMatchObject([{ cause: { code: "invalid-response" } }]);
});

test("a refusal of the mounted client's host reaches the caller in words", async () => {
  const careful = await openClient(offering("careful"), { consent: () => false });
  const { host } = hosting({ careful });
  const client = await openClient(host, { revisions: ["2025-11-25"] });
  expect(await client.tools.call("careful_find")).toMatchObject({
    isError: true,
    content: [{ text: expect.stringMatching(/host did not allow/) }],
  });
});
