import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { OverloadedError, UsageError } from "allspeak";
import { sqlite } from "allspeak/state/sqlite";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { StoreUnavailableError } from "../../../src/errors/overloaded-error.ts";
import { withAvailability } from "../../../src/state/store-availability.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";

interface Connection {
  exec(sql: string): void;
}

type Sqlite = { DatabaseSync: new (path: string) => Connection };

const longMs = 600_000;
const session = {
  id: "s",
  owner: "o",
  revision: "2025-11-25",
  client: { info: undefined, capabilities: {} },
  ready: true,
  logLevel: undefined,
  lists: [],
  subscriptions: [],
  read: "0",
};

/** A state, with the connection that it has opened: SQLite can be told there what a disk would. */
function open() {
  const builtin = process.getBuiltinModule;
  const connections: Connection[] = [];
  const { DatabaseSync } = builtin("node:sqlite") as unknown as Sqlite;
  class Spied extends DatabaseSync {
    constructor(path: string) {
      super(path);
      connections.push(this);
    }
  }
  const spy = vi
    .spyOn(process, "getBuiltinModule")
    .mockImplementation(((name: string) =>
      name === "node:sqlite" ? { DatabaseSync: Spied } : builtin(name)) as typeof builtin);
  const path = join(createTemporaryFolder(), "state.db");
  const state = sqlite(path, { synchronous: "normal" });
  spy.mockRestore();
  onTestFinished(() => state.close());
  const [connection] = connections;
  if (connection === undefined) throw new Error("There is no connection.");
  return { path, state: withAvailability(state), connection };
}

const faults: [fault: string, sql: string, undo: string, words: RegExp][] = [
  [
    "whose disk is full",
    "PRAGMA max_page_count = 1",
    "PRAGMA max_page_count = 1000000",
    /is full: make room/,
  ],
  [
    "that may not be written any more",
    "PRAGMA query_only = 1",
    "PRAGMA query_only = 0",
    /can't be written.*permissions/,
  ],
];

describe.each(faults)("a SQLite file %s", (_, fault, undo, words) => {
  it("refuses what must be written in words, is read as before, and takes all again afterwards", async () => {
    const { path, state, connection } = open();
    await state.values.put("small", "value", longMs);
    await state.sessions.create(session, 1_000);
    await state.events.append("stream", ["event"], longMs);
    connection.exec(fault);
    for (let time = 0; time < 10; time++) {
      const error = await failureOf(() => state.values.put(`large ${time}`, "x".repeat(100_000), longMs));
      expect(error).toBeInstanceOf(OverloadedError);
      expect(error).not.toBeInstanceOf(StoreUnavailableError);
      expect((error as Error).message).toMatch(words);
      expect((error as Error).message).toContain(path);
      expect(await state.values.get("small")).toBe("value");
      expect(await state.events.after("stream", "0")).toMatchObject([{ text: "event" }]);
      // Also where its time can't be renewed.
      expect((await state.sessions.touch("s", longMs * (time + 1)))?.session.id).toBe("s");
    }
    connection.exec(undo);
    await state.values.put("large", "x".repeat(100_000), longMs);
    expect(await state.values.get("large")).toHaveLength(100_000);
  });
});

it("a SQLite file beside which no log can be written is refused in words", () => {
  const path = join(createTemporaryFolder(), "state.db");
  mkdirSync(`${path}-wal`);
  expect(() => sqlite(path)).toThrow(UsageError);
  expect(() => sqlite(path)).toThrow(/can't be written.*folder/);
});

async function failureOf(operation: () => unknown): Promise<unknown> {
  try {
    await operation();
    return undefined;
  } catch (error) {
    return error;
  }
}
