import { once } from "node:events";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { createServer, tool } from "allspeak";
import type { State } from "allspeak/http";
import { serveHttp } from "allspeak/node";
import { sqlite } from "allspeak/state/sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import { loadNodeSqlite } from "../../../src/state/sqlite/node-sqlite.ts";
import { openSession } from "../../support/http/raw-session.ts";
import { callNewest } from "../../support/http/stateless-request.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";

/** A server whose state is a file, and another program that has the file open. */
async function serveFile() {
  const path = join(createTemporaryFolder(), "state.db");
  const state = sqlite(path);
  onTestFinished(() => state.close());
  const tools = [tool("echo", {}, () => "here")];
  const running = await serveHttp(createServer({ name: "s", version: "1", tools, log: () => {} }), { state });
  onTestFinished(() => running.close(0));
  const { DatabaseSync } = loadNodeSqlite();
  const program = new DatabaseSync(path);
  onTestFinished(() => program.close());
  return { url: running.url, program };
}

async function time<T>(work: () => Promise<T>): Promise<[T, number]> {
  const startedAt = performance.now();
  return [await work(), performance.now() - startedAt];
}

/** Lets another thread lock a file, and free it after a time. */
async function lockFor(forMs: number, path: string, lock: string): Promise<void> {
  const locking = new Worker(
    `const { parentPort, workerData } = require("node:worker_threads");
    const database = new (require("node:sqlite").DatabaseSync)(workerData.path);
    database.exec(workerData.lock);
    parentPort.postMessage("locked");
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, workerData.forMs);
    database.exec("ROLLBACK");
    database.close();`,
    { eval: true, workerData: { forMs, path, lock } },
  );
  await once(locking, "message");
}

it("a file that another program locks while it is opened is waited for, longer than a request may wait", async () => {
  const path = join(createTemporaryFolder(), "state.db");
  await lockFor(1_500, path, "BEGIN EXCLUSIVE; CREATE TABLE t (a)");
  const state = sqlite(path);
  onTestFinished(() => state.close());
  await state.values.put("key", "kept", 60_000);
  expect(await state.values.get("key")).toBe("kept");
});

const session = {
  id: "s",
  client: { info: { name: "c", version: "1" }, capabilities: {} },
  owner: "o",
  revision: "r",
  ready: true,
  logLevel: undefined,
  lists: [],
  subscriptions: [],
  read: "0",
};
const writes: Record<string, (state: State) => unknown> = {
  "sessions.create": ({ sessions }) => sessions.create(session, 60_000),
  "sessions.replace": ({ sessions }) => sessions.replace(session, "1", 60_000),
  "sessions.remove": ({ sessions }) => sessions.remove("s"),
  "values.add": ({ values }) => values.add("key", "value", 60_000),
  "values.remove": ({ values }) => values.remove("key"),
  "counters.count": ({ counters }) => counters.count("key", 1, 60_000),
  "tasks.save": ({ tasks }) => tasks.save({ id: "t", token: 1 }, { leaseMs: 60_000 }),
};

it.each(Object.entries(writes))(
  "%s waits for a file again, once it has written after it had waited in vain",
  async (_, write) => {
    const path = join(createTemporaryFolder(), "state.db");
    const state = sqlite(path);
    onTestFinished(() => state.close());
    const { DatabaseSync } = loadNodeSqlite();
    const program = new DatabaseSync(path);
    onTestFinished(() => program.close());
    program.exec("BEGIN IMMEDIATE");
    await expect(async () => write(state)).rejects.toThrow("locked");
    program.exec("ROLLBACK");
    await write(state);
    await lockFor(200, path, "BEGIN IMMEDIATE");
    await write(state);
  },
);

describe("D6: a file that another program has locked", () => {
  it("is 503 for what must write, within a second, reads on, and is written again as soon as it is free", async () => {
    const { url, program } = await serveFile();
    const session = await openSession(url, "2025-11-25");
    const setLevel = () => session.ask("logging/setLevel", { level: "debug" });
    program.exec("BEGIN IMMEDIATE");
    for (let attempt = 0; attempt < 5; attempt++) {
      const [refused, tookMs] = await time(setLevel);
      expect([refused.status, refused.headers["retry-after"]]).toEqual([503, "5"]);
      // This process waits for the file once, and then no more.
      expect(tookMs).toBeLessThan(attempt === 0 ? 1_000 : 300);
      expect((await session.ask("ping")).status).toBe(200);
    }
    program.exec("ROLLBACK");
    expect((await setLevel()).status).toBe(200);
  });

  it("holds up calls that need no store for less than a second", async () => {
    const { url, program } = await serveFile();
    const session = await openSession(url, "2025-11-25");
    program.exec("BEGIN IMMEDIATE");
    const refusals = Array.from({ length: 5 }, () => session.ask("logging/setLevel", { level: "debug" }));
    const [answer, tookMs] = await time(() => callNewest(url, "echo"));
    expect(answer.status).toBe(200);
    expect(tookMs).toBeLessThan(1_000);
    for (const refused of await Promise.all(refusals)) expect(refused.status).toBe(503);
    program.exec("ROLLBACK");
  });
});
