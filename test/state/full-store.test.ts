import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { State } from "allspeak/http";
import { nats } from "allspeak/state/nats";
import { redis } from "allspeak/state/redis";
import { Redis } from "ioredis";
import { describe, expect, it, onTestFinished } from "vitest";
import { OverloadedError } from "../../src/errors.ts";
import { withAvailability } from "../../src/state/store-availability.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { hasNats, OwnServer } from "./nats/support.ts";
import * as postgres from "./postgres/support.ts";
import { RedisServer } from "./redis/redis-server.ts";
import { hasRedis } from "./redis/support.ts";

const longMs = 600_000;
const large = "x".repeat(100_000);

interface Store {
  readonly name: string;
  readonly isThere: boolean;
  /** Opens a state in a store that takes a few megabytes. */
  open(): Promise<State>;
}

const stores: readonly Store[] = [
  {
    name: "Redis",
    isThere: hasRedis,
    open: async () => {
      const server = await RedisServer.start();
      const client = new Redis(server.url);
      onTestFinished(() => client.disconnect());
      await client.config("SET", "maxmemory", "4mb");
      return redis(server.url);
    },
  },
  {
    name: "NATS",
    isThere: hasNats,
    open: async () => {
      const folder = createTemporaryFolder();
      const config = join(folder, "nats.conf");
      writeFileSync(config, `jetstream { store_dir: "${folder}", max_file_store: 4M }\n`);
      return nats((await OwnServer.start(["-c", config])).url);
    },
  },
  {
    name: "PostgreSQL",
    isThere: postgres.hasPostgres,
    open: async () => {
      const prefix = postgres.ownPrefix();
      const state = postgres.openState(prefix);
      await state.values.get("none");
      // The disk of the machine can't be filled here, so the server says what it says then.
      await postgres.run(`CREATE FUNCTION "${prefix}".fill() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE 'could not extend file' USING ERRCODE = 'disk_full'; END $$;
        CREATE TRIGGER fill BEFORE INSERT ON "${prefix}".entries FOR EACH ROW
        WHEN (length(NEW.value) > 50000) EXECUTE FUNCTION "${prefix}".fill()`);
      return state;
    },
  },
];

describe.each(stores)("$name, when it is full,", ({ isThere, open }) => {
  it.skipIf(!isThere)(
    "refuses writes with an error of ours, and is read as before",
    { timeout: 30_000 },
    async () => {
      const opened = await open();
      onTestFinished(() => opened.close());
      const { values, sessions } = withAvailability(opened);
      await values.put("kept", "kept", longMs);
      const fill = async () => {
        for (let at = 0; at < 100; at++) await values.put(`large ${at}`, large, longMs);
      };
      await expect(fill()).rejects.toThrow(OverloadedError);
      for (let time = 0; time < 5; time++)
        await expect(Promise.resolve(values.put("more", large, longMs))).rejects.toThrow(/full|disk/);
      expect(await values.get("kept")).toBe("kept");
      expect(await sessions.touch("none", longMs)).toBeUndefined();
    },
  );
});

it.skipIf(!hasRedis)("Redis, when it is full, takes no new streams and tasks either", async () => {
  const [store] = stores;
  const opened = await store?.open();
  if (opened === undefined) throw new Error("There is no store.");
  onTestFinished(() => opened.close());
  const { values, events, tasks } = opened;
  const fill = async (chars: number) => {
    for (let at = 0; at < 1_000; at++) await values.put(`${chars} ${at}`, "x".repeat(chars), longMs);
  };
  for (const chars of [100_000, 1_000, 1]) await expect(fill(chars)).rejects.toThrow(OverloadedError);
  await expect(events.append("new", ["one"], longMs)).rejects.toThrow(OverloadedError);
  const task = { id: "t", queue: "q", owner: "o", lister: "l", ttlMs: longMs, pollIntervalMs: 1, work: {} };
  await expect(tasks.create(task, 10)).rejects.toThrow(OverloadedError);
  expect(await tasks.get("t")).toBeUndefined();
});
