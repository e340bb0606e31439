import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "allspeak";
import { type SqliteOptions, sqlite } from "allspeak/state/sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";

const longMs = 60_000;

function newPath(): string {
  return join(createTemporaryFolder(), "state.db");
}

function open(path: string, options?: SqliteOptions) {
  const state = sqlite(path, options);
  onTestFinished(() => state.close());
  return state;
}

/** Runs statements on a file that no state has open. */
function edit(path: string, sql: string): void {
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite") as unknown as {
    DatabaseSync: new (path: string) => { exec(sql: string): void; close(): void };
  };
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
}

describe("the file of a SQLite state", () => {
  it.runIf(process.platform !== "win32")("is for this user alone, and so is its log", () => {
    const path = newPath();
    const { values } = open(path);
    void values.put("key", "value", longMs);
    for (const file of [path, `${path}-wal`, `${path}-shm`]) expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("has everything when it is opened again", () => {
    const path = newPath();
    const first = open(path);
    void first.values.put("key", "value", longMs);
    const offset = first.events.append("stream", ["one", "two"], longMs);
    void first.counters.count("counter", 3, longMs);
    void first.close();
    const second = open(path);
    expect(second.values.get("key")).toBe("value");
    expect(second.events.last("stream")).toBe(offset);
    expect(second.counters.count("counter", 1, longMs)).toMatchObject({ count: 4 });
  });

  it("is refused when it is not a database, and stays as it was", () => {
    const path = newPath();
    const words = "Dear diary, ".repeat(1000);
    writeFileSync(path, words);
    expect(() => sqlite(path)).toThrow(UsageError);
    expect(() => sqlite(path)).toThrow("is not a SQLite database");
    expect(readFileSync(path, "utf8")).toBe(words);
  });

  it("is refused when it is the database of another program", () => {
    const path = newPath();
    edit(path, "CREATE TABLE books (title TEXT)");
    expect(() => sqlite(path)).toThrow(UsageError);
    expect(() => sqlite(path)).toThrow("is the database of another program");
  });

  it("is refused when a newer version of allspeak wrote it", () => {
    const path = newPath();
    void sqlite(path).close();
    edit(path, "PRAGMA user_version = 1000");
    expect(() => sqlite(path)).toThrow(UsageError);
    expect(() => sqlite(path)).toThrow(/newer version of allspeak \(schema 1000, .*upgrade allspeak/);
  });

  it("is refused when its folder is missing, or when it is a folder", () => {
    const folder = createTemporaryFolder();
    expect(() => sqlite(join(folder, "missing", "state.db"))).toThrow(UsageError);
    expect(() => sqlite(join(folder, "missing", "state.db"))).toThrow("ENOENT");
    mkdirSync(join(folder, "folder"));
    expect(() => sqlite(join(folder, "folder"))).toThrow("name a file in a folder that exists");
  });

  it("keeps the mode that somebody gave it", () => {
    const path = newPath();
    writeFileSync(path, "");
    chmodSync(path, 0o640);
    open(path);
    expect(statSync(path).mode & 0o777).toBe(0o640);
  });
});

describe("a SQLite state", () => {
  it("promises what its settings hold", () => {
    expect(open(newPath()).durability()).toEqual({ level: "power-loss", warnings: [] });
    const fast = open(newPath(), { synchronous: "normal" }).durability();
    expect(fast).toEqual({
      level: "store-crash",
      warnings: [expect.stringMatching(/loses power.*pass synchronous: "full"/)],
    });
    const content = open(newPath(), { synchronous: "normal", durability: "store-crash" });
    expect(content.durability()).toEqual({ level: "store-crash", warnings: [] });
    const greedy = open(newPath(), { durability: "machine-loss" });
    expect(greedy.durability()).toMatchObject({ warnings: [expect.stringContaining("one disk")] });
  });

  it("answers at once, without promises", () => {
    const { sessions, events, values, counters, tasks } = open(newPath());
    expect(sessions.touch("s", longMs)).toBeUndefined();
    expect(events.after("stream", "0")).toEqual([]);
    expect(values.add("key", "value", longMs)).toBe(true);
    expect(counters.count("counter", 1, longMs)).toMatchObject({ count: 1 });
    expect(tasks.get("task")).toBeUndefined();
  });

  it("can't be used any more once it is closed; closing again does nothing", () => {
    const state = sqlite(newPath());
    void state.close();
    void state.close();
    expect(() => state.values.get("key")).toThrow(UsageError);
    expect(() => state.values.get("key")).toThrow("was closed");
  });

  it("drops the oldest events of a stream beyond its limits, and never the newest", () => {
    const { events } = open(newPath(), { maxEvents: 3, maxStreamBytes: 100 });
    for (let at = 1; at <= 10; at++) void events.append("a", [`e${at}`], longMs);
    expect(textsOf(events.after("a", "0"))).toEqual(["e8", "e9", "e10"]);
    void events.append("a", ["x".repeat(60), "y".repeat(60)], longMs);
    expect(textsOf(events.after("a", "0"))).toEqual(["y".repeat(60)]);
    void events.append("a", ["z".repeat(1000)], longMs);
    expect(textsOf(events.after("a", "0"))).toEqual(["z".repeat(1000)]);
    expect(events.after("a", "1")).toHaveLength(1);
  });

  it("goes on in the stream that follows one that was removed, for readers of the old one", () => {
    const { events } = open(newPath());
    const old = String(events.append("a", ["old"], longMs));
    void events.remove("a");
    void events.append("a", ["new"], longMs);
    expect(textsOf(events.after("a", old))).toEqual(["new"]);
  });

  it("tells apart keys that are longer than an index takes, and keys with NUL", () => {
    const { values } = open(newPath());
    const keys = ["a\0b", "a\u00010b", "a\u0001b", "a", `${"x".repeat(5000)}1`, `${"x".repeat(5000)}2`];
    for (const key of keys) void values.put(key, `value of ${key}`, longMs);
    for (const key of keys) expect(values.get(key)).toBe(`value of ${key}`);
  });

  it.each<[unknown, string]>([
    ["", "takes the path of a file"],
    [undefined, "takes the path of a file"],
    [":memory:", "use memoryState()"],
  ])("is not made from the path %j", (path, problem) => {
    expect(() => sqlite(path as string)).toThrow(UsageError);
    expect(() => sqlite(path as string)).toThrow(problem);
  });

  it.each<[object, string]>([
    [{ sync: "full" }, 'sqlite() has no option "sync"'],
    [{ synchronous: "off" }, '"synchronous" must be "full" or "normal"'],
    [{ busyTimeoutMs: -1 }, '"busyTimeoutMs" must be a number'],
    [{ maxEvents: 0 }, '"maxEvents" must be a number greater than 0'],
  ])("is not made with the options %j", (options, problem) => {
    expect(() => sqlite(newPath(), options)).toThrow(UsageError);
    expect(() => sqlite(newPath(), options)).toThrow(problem);
  });
});

function textsOf(events: unknown): string[] | undefined {
  return (events as { text: string }[] | undefined)?.map(({ text }) => text);
}
