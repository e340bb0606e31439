import { UsageError } from "allspeak";
import { postgres } from "allspeak/state/postgres";
import pg from "pg";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { hasPostgres, openState, ownPrefix, run, until, url } from "./support.ts";

const longMs = 60_000;

describe.skipIf(!hasPostgres)("the schema of a PostgreSQL state", () => {
  it("is made once by many nodes that start at the same time", async () => {
    const prefix = ownPrefix();
    const nodes = Array.from({ length: 8 }, () => openState(prefix, { maxConnections: 2 }));
    const counts = await Promise.all(nodes.map(({ counters }) => counters.count("starts", 1, longMs)));
    expect(counts.map(({ count }) => count).sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it("is refused when a newer version of allspeak made it", async () => {
    const prefix = ownPrefix();
    await openState(prefix).values.get("key");
    await run(`UPDATE "${prefix}".meta SET version = 1000`);
    const { values } = openState(prefix);
    await expect(values.get("key")).rejects.toThrow(UsageError);
    await expect(values.get("key")).rejects.toThrow(/newer version of allspeak \(1000, .*upgrade allspeak/);
  });

  it("is made again when somebody drops it", async () => {
    const prefix = ownPrefix();
    const { values } = openState(prefix);
    await values.put("key", "value", longMs);
    await run(`DROP SCHEMA "${prefix}" CASCADE`);
    expect(await values.get("key")).toBeUndefined();
    await values.put("key", "value", longMs);
    expect(await values.get("key")).toBe("value");
  });

  it("is made again once, and not until the time is up, when a table stays missing", async () => {
    const prefix = ownPrefix();
    const pool = new pg.Pool({ connectionString: url });
    onTestFinished(() => pool.end());
    const { values, close } = postgres(pool, { prefix });
    onTestFinished(async () => close());
    await values.put("key", "value", longMs);
    await run(`DROP TABLE "${prefix}".entries`);
    const acquired = vi.fn();
    pool.on("acquire", acquired);
    await expect(values.get("key")).rejects.toThrow(/entries" does not exist/);
    // The statement, the look at the schema, and the statement again.
    expect(acquired).toHaveBeenCalledTimes(3);
  });

  it("has no table that a crash empties", async () => {
    const prefix = ownPrefix();
    await openState(prefix).values.get("key");
    const kinds = await run<{ relpersistence: string }>(
      `SELECT relpersistence FROM pg_class WHERE relnamespace = '"${prefix}"'::regnamespace`,
    );
    expect(new Set(kinds.map(({ relpersistence }) => relpersistence))).toEqual(new Set(["p"]));
  });
});

describe.skipIf(!hasPostgres)("a PostgreSQL state", () => {
  it("removes what has expired, whichever node gets to it", { timeout: 30_000 }, async () => {
    const prefix = ownPrefix();
    const [a] = [openState(prefix, { sweepEveryMs: 50 }), openState(prefix, { sweepEveryMs: 50 })];
    const client = { info: { name: "c", version: "1" }, capabilities: {} };
    const shown = {
      owner: "o",
      revision: "r",
      ready: true,
      logLevel: undefined,
      lists: [],
      subscriptions: [],
    };
    const task = { queue: "q", owner: "o", lister: "l", ttlMs: 10, pollIntervalMs: 1, work: {} };
    for (let at = 0; at < 5; at++) {
      await a.sessions.create({ id: `${at}`, client, read: "0", ...shown }, 10);
      await a.values.put(`${at}`, "x", 10);
      await a.counters.count(`${at}`, 1, 10);
      await a.events.append(`${at}`, ["x", "y"], 10);
      await a.tasks.create({ id: `${at}`, ...task }, 100);
    }
    await a.values.put("kept", "x", longMs);
    const tables = ["sessions", "entries", "counters", "streams", "events", "tasks"];
    const sum = tables.map((table) => `(SELECT count(*) FROM "${prefix}".${table})`).join(" + ");
    await until(async () => (await run<{ rows: string }>(`SELECT ${sum} AS rows`))[0]?.rows === "1");
    expect(await a.values.get("kept")).toBe("x");
  });

  it("writes nothing for a session that was renewed lately, and renews it when it must", async () => {
    const prefix = ownPrefix();
    const { sessions } = openState(prefix);
    const client = { info: { name: "c", version: "1" }, capabilities: {} };
    const shown = {
      owner: "o",
      revision: "r",
      ready: true,
      logLevel: undefined,
      lists: [],
      subscriptions: [],
    };
    await sessions.create({ id: "s", client, read: "0", ...shown }, longMs);
    const readWriter = async () =>
      (await run<{ xmin: string }>(`SELECT xmin FROM "${prefix}".sessions`))[0]?.xmin;
    const writer = await readWriter();
    for (let at = 0; at < 5; at++) expect(await sessions.touch("s", longMs)).toBeDefined();
    expect(await readWriter()).toBe(writer);
    await sessions.touch("s", 2 * longMs);
    expect(await readWriter()).not.toBe(writer);
  });

  it("promises what the settings of its server hold", async () => {
    const state = (settings: string, options = {}) => {
      const pool = new pg.Pool({ connectionString: url, options: settings });
      onTestFinished(() => pool.end());
      const opened = postgres(pool, { prefix: ownPrefix(), ...options });
      onTestFinished(async () => opened.close());
      return opened;
    };
    expect(await state("").durability()).toEqual({ level: "power-loss", warnings: [] });
    const hasty = await state("-c synchronous_commit=off").durability();
    expect(hasty.level).toBe("node-crash");
    expect(hasty.warnings[0]).toContain("set synchronous_commit = on");
    const greedy = await state("", { durability: "machine-loss" }).durability();
    expect(greedy.warnings[0]).toContain("set synchronous_standby_names");
  });

  it("works where the database has chosen stricter isolation", async () => {
    const pool = new pg.Pool({
      connectionString: url,
      max: 10,
      options: "-c default_transaction_isolation=serializable",
    });
    onTestFinished(() => pool.end());
    const state = postgres(pool, { prefix: ownPrefix() });
    onTestFinished(async () => state.close());
    const counts = await Promise.all(Array.from({ length: 40 }, () => state.counters.count("a", 1, longMs)));
    expect(Math.max(...counts.map(({ count }) => count))).toBe(40);
    await Promise.all(Array.from({ length: 40 }, (_, at) => state.events.append("s", [`${at}`], longMs)));
    expect(await state.events.after("s", "0")).toHaveLength(40);
  });

  it("hears of the events and the tasks of other nodes, and no more than their numbers is sent", async () => {
    const prefix = ownPrefix();
    const [here, there] = [openState(prefix), openState(prefix)];
    const heard = vi.fn();
    const listener = new pg.Client({ connectionString: url });
    await listener.connect();
    onTestFinished(() => listener.end());
    listener.on("notification", ({ payload }) => heard(payload));
    await listener.query(`LISTEN "${prefix} changes"`);
    let hints = 0;
    onTestFinished(here.events.watch("secret stream", () => hints++));
    const told = new Promise<string>((resolve) => onTestFinished(here.tasks.onChange(resolve)));
    const task = { queue: "q", owner: "o", lister: "l", ttlMs: longMs, pollIntervalMs: 1, work: {} };
    await there.values.get("connected");
    await until(async () => {
      await there.events.append("secret stream", ["x"], longMs);
      return hints > 0;
    });
    await there.tasks.create({ id: "secret task", ...task }, 10);
    expect(await told).toBe("secret task");
    expect(heard).toHaveBeenCalled();
    expect(JSON.stringify(heard.mock.calls)).not.toContain("secret");
  });

  it("gives 64 workers at once a task each, and each task to one", async () => {
    const prefix = ownPrefix();
    const nodes = [openState(prefix, { maxConnections: 8 }), openState(prefix, { maxConnections: 8 })];
    const task = { queue: "q", owner: "o", lister: "l", ttlMs: longMs, pollIntervalMs: 1, work: {} };
    for (let at = 0; at < 64; at++) await nodes[0]?.tasks.create({ id: `${at}`, ...task }, 100);
    const claimed: string[] = [];
    const work = async (worker: number) => {
      for (;;) {
        const claim = await nodes[worker % 2]?.tasks.claim("q", longMs);
        if (claim === undefined) return;
        claimed.push(claim.id);
      }
    };
    await Promise.all(Array.from({ length: 64 }, (_, worker) => work(worker)));
    await work(0);
    expect(claimed).toHaveLength(64);
    expect(new Set(claimed).size).toBe(64);
  });

  it("can't be used any more once it is closed, and leaves a pool open that was given", async () => {
    const pool = new pg.Pool({ connectionString: url });
    onTestFinished(() => pool.end());
    const state = postgres(pool, { prefix: ownPrefix() });
    await state.values.put("key", "value", longMs);
    await state.close();
    await expect(state.values.get("key")).rejects.toThrow(UsageError);
    expect((await pool.query("SELECT 1 AS one")).rows).toEqual([{ one: 1 }]);
  });
});

describe("postgres()", () => {
  it("fails at once, and goes on failing, while there is no server", async () => {
    const { values } = openState("away", {}, "postgres://postgres@127.0.0.1:1/none");
    await expect(values.get("key")).rejects.toThrow("ECONNREFUSED");
    await expect(values.get("key")).rejects.toThrow("ECONNREFUSED");
  });

  it.each<[unknown, string]>([
    ["redis://localhost", "takes a URL that begins with postgres://"],
    [undefined, "not undefined"],
    [{}, "a Pool of the package pg"],
  ])("does not take %j", (target, problem) => {
    expect(() => postgres(target as string)).toThrow(UsageError);
    expect(() => postgres(target as string)).toThrow(problem);
  });

  it("does not take a pool of one connection, which would listen and leave none for statements", () => {
    expect(() => postgres(new pg.Pool({ max: 1 }))).toThrow(UsageError);
    expect(() => postgres(new pg.Pool({ max: 1 }))).toThrow("needs at least 2");
  });

  it("does not show the password of a URL that it refuses", () => {
    expect(() => postgres("mysql://root:hunter2@db/state")).not.toThrow("hunter2");
  });

  it.each<[object, string]>([
    [{ schema: "x" }, 'has no option "schema"'],
    [{ prefix: 'a"; drop' }, "the prefix is the name of a schema"],
    [{ maxConnections: 0 }, '"maxConnections" must be a number greater than 0'],
    [{ durability: "sure" }, '"durability" must be "none"'],
  ])("does not take the options %j", (options, problem) => {
    expect(() => postgres(url, options)).toThrow(UsageError);
    expect(() => postgres(url, options)).toThrow(problem);
  });
});
