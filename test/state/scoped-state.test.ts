import { createServer, OverloadedError, rateLimit, StoredFormatError, tool, UsageError } from "allspeak";
import { connect } from "allspeak/client";
import { memoryState, type State, streamStart } from "allspeak/http";
import { stateContract } from "allspeak/testing/state";
import { describe, expect, it, onTestFinished } from "vitest";
import { scopeState } from "../../src/state/scoped-state.ts";
import { entries, open } from "../support/http/entries.ts";
import { openSession, RawSession } from "../support/http/raw-session.ts";
import { callNewest } from "../support/http/stateless-request.ts";
import { sharedMemory } from "../support/shared-state.ts";

const longMs = 600_000;
const [entry] = entries;
const withTasks = { extensions: { "io.modelcontextprotocol/tasks": {} } };

function createNamed(name: string) {
  const tools = [tool("echo", {}, () => name), tool("slow", { task: "required" }, () => name)];
  return createServer({ name, version: "1", tools, log: () => {} });
}

async function serve(name: string, state: State) {
  if (entry === undefined) throw new Error("There is no entry.");
  return (await open(entry, createNamed(name), { state, limits: { rules: [{ calls: 1, by: "all" }] } })).url;
}

describe("two servers with one state", () => {
  it("count calls each for itself", async () => {
    const state = memoryState();
    const [first, second] = [await serve("first", state), await serve("second", state)];
    for (const url of [first, second]) {
      expect((await callNewest(url, "echo")).status).toBe(200);
      expect((await callNewest(url, "echo")).status).toBe(503);
    }
  });

  it("know nothing of each other's sessions, though nodes of the same name share them", async () => {
    if (entry === undefined) throw new Error("There is no entry.");
    const state = memoryState();
    const { url } = await open(entry, createNamed("first"), { state });
    const session = await openSession(url, "2025-11-25");
    const other = await open(entry, createNamed("second"), { state });
    expect((await new RawSession(other.url, session.id, "2025-11-25").ask("ping")).status).toBe(404);
    const node = await open(entry, createNamed("first"), { state });
    expect((await new RawSession(node.url, session.id, "2025-11-25").ask("ping")).status).toBe(200);
  });

  it("know nothing of each other's tasks", async () => {
    if (entry === undefined) throw new Error("There is no entry.");
    const state = memoryState();
    const { url } = await open(entry, createNamed("first"), { state });
    const other = await open(entry, createNamed("second"), { state });
    const answer = await callNewest(url, "slow", {}, { capabilities: withTasks });
    const { result } = JSON.parse(await answer.text()) as { result: { taskId: string } };
    expect(result.taskId).toBeDefined();
    const clients = [await connect(url, { tasks: true }), await connect(other.url, { tasks: true })];
    onTestFinished(async () => {
      for (const client of clients) await client.close();
    });
    const look = (client: (typeof clients)[number] | undefined) =>
      client?.request("tasks/get", { taskId: result.taskId });
    expect(await look(clients[0])).toMatchObject({ taskId: result.taskId });
    await expect(look(clients[1])).rejects.toThrow("Task not found");
  });

  it("must give rateLimit a name if they count in one store", () => {
    expect(() => rateLimit({ calls: 1, counters: memoryState().counters })).toThrow(UsageError);
  });
});

describe("a scoped state", () => {
  it("is the same object for the same state and name", () => {
    const state = memoryState();
    expect(scopeState(state, "a")).toBe(scopeState(state, "a"));
    expect(scopeState(state, "a").tasks).not.toBe(scopeState(state, "b").tasks);
  });

  it("takes no name for a name and a part of a key", async () => {
    const state = memoryState();
    await scopeState(state, "a").values.put("b/c", "1", longMs);
    await scopeState(state, "a%2Fb").values.put("c", "2", longMs);
    expect(await scopeState(state, "a/b").values.get("c")).toBeUndefined();
  });

  it("refuses what a newer version has stored, with an error that says what to do", async () => {
    const state = memoryState();
    const scoped = scopeState(state, "a");
    await scoped.values.put("k", "text", longMs);
    expect(await scoped.values.get("k")).toBe("text");
    await state.values.put("a/k", "2text", longMs);
    await state.events.append("a/s", ["2text"], longMs);
    expect(() => scoped.values.get("k")).toThrow(StoredFormatError);
    const [event] = (await scoped.events.after("s", streamStart)) ?? [];
    expect(() => event?.text).toThrow("update this node");
  });

  const state = memoryState();
  for (const { name, run } of stateContract(() => scopeState(state, "server"))) it.concurrent(name, run);
});

describe("the values of a store that nodes share", () => {
  it("have a share for each caller, which all nodes count together", async () => {
    const state = sharedMemory({ maxValueChars: 2 ** 30 });
    const nodes = [scopeState(state, "server"), scopeState(ofAnotherNode(state), "server")];
    const mebibyte = "x".repeat(1024 ** 2);
    const put = async (key: number | string, holder: string, value = mebibyte) =>
      nodes[Number(key) % 2 || 0]?.values.put(`${holder} ${key}`, value, longMs, holder);
    for (let key = 0; key < 64; key++) await put(key, "alice");
    await expect(put(64, "alice")).rejects.toThrow(OverloadedError);
    await expect(put(65, "alice")).rejects.toThrow(OverloadedError);
    expect(await nodes[0]?.values.get("alice 63")).toBe(mebibyte);
    expect(await nodes[0]?.values.get("alice 64")).toBeUndefined();
    await put("nonce", "alice", "");
    await put(1, "bob");
    expect(await nodes[0]?.values.get("bob 1")).toBe(mebibyte);
  });
});

describe("the tasks of a store that nodes share", () => {
  it("are saved even where what they take can't be counted any more", async () => {
    const state = sharedMemory();
    let isAway = false;
    const count: State["counters"]["count"] = (...given) => {
      if (isAway) throw new Error("The counters are away.");
      return state.counters.count(...given);
    };
    const { tasks } = scopeState({ ...state, counters: { count } }, "server");
    const task = { id: "task", queue: "q", owner: "o", lister: "o", ttlMs: 60_000, pollIntervalMs: 1 };
    await tasks.create({ ...task, work: {} }, 10);
    const claimed = await tasks.claim("q", longMs);
    if (claimed === undefined) throw new Error("There is no task.");
    isAway = true;
    const result = { text: "x".repeat(5_000) };
    expect(await tasks.save(claimed, { ended: { status: "completed", result } })).toBe(true);
    expect(await tasks.get("task")).toMatchObject({ status: "completed" });
  });

  it("leave room for those with little when all callers together have stored too much", async () => {
    const state = sharedMemory({ maxTaskChars: 32 * 1024 ** 2 });
    const nodes = [scopeState(state, "server"), scopeState(ofAnotherNode(state), "server")];
    let tasks = 0;
    const create = async (owner: string, chars: number) => {
      const id = `task ${tasks++}`;
      const work = { text: "x".repeat(chars) };
      const task = { id, queue: "q", owner, lister: owner, ttlMs: 60_000, pollIntervalMs: 1, work };
      return nodes[tasks % 2]?.tasks.create(task, 1_000);
    };
    for (let caller = 0; caller < 16; caller++) await create(`caller ${caller}`, 2 * 1024 ** 2 - 1_000);
    await create("late", 1_000_000);
    await expect(create("late", 1_000_000)).rejects.toThrow(
      "All callers together may store at most 33554432",
    );
    await expect(create("caller 1", 1_000_000)).rejects.toThrow("A caller may store at most 2097152");
    await create("later", 1_000);
  });
});

/** The same state, as another process has it. */
function ofAnotherNode(state: State): State {
  return { ...state };
}
