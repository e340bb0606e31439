import type { State } from "allspeak/http";
import { Redis } from "ioredis";
import { describe, expect, it, onTestFinished } from "vitest";
import { OverloadedError } from "../../src/errors.ts";
import { withAvailability } from "../../src/state/store-availability.ts";
import * as pg from "./postgres/support.ts";
import * as redis from "./redis/support.ts";

const longMs = 600_000;

interface Store {
  readonly name: string;
  readonly isThere: boolean;
  /** Opens a state, and gives the function that makes its sessions and tasks unreadable. */
  open(): Promise<{ state: State; spoil: (text: string) => Promise<void> }>;
}

const stores: readonly Store[] = [
  {
    name: "Redis",
    isThere: redis.hasRedis,
    open: async () => {
      const prefix = redis.ownPrefix();
      const state = redis.openState(await redis.connectors["a URL and ioredis"](), { prefix });
      const client = new Redis(redis.url);
      onTestFinished(() => client.disconnect());
      const spoil = async (text: string) => {
        await client.set(`${prefix}:session:spoilt`, `0123456789abcdef${text}`);
        for (const key of await client.keys(`{${prefix}:tasks}*spoilt`))
          if ((await client.type(key)) === "hash") await client.hset(key, "task", text);
      };
      return { state, spoil };
    },
  },
  {
    name: "PostgreSQL",
    isThere: pg.hasPostgres,
    open: async () => {
      const prefix = pg.ownPrefix();
      const spoil = async (text: string) => {
        await pg.run(`UPDATE "${prefix}".sessions SET body = '${text}' WHERE id LIKE '%spoilt'`);
        await pg.run(`UPDATE "${prefix}".tasks SET fixed = '${text}' WHERE id LIKE '%spoilt'`);
      };
      return { state: pg.openState(prefix), spoil };
    },
  },
];

function toSession(id: string) {
  const client = { info: undefined, capabilities: {} };
  const empty = { logLevel: undefined, lists: [], subscriptions: [], read: "0" };
  return { id, owner: "", revision: "2025-11-25", client, ready: true, ...empty };
}

describe.each(stores)("an entry of $name that can't be read", ({ isThere, open }) => {
  it.skipIf(!isThere).each(["{", "null", "7"])(
    "fails what needs it with an error of ours, and takes the store from nobody: %s",
    async (text) => {
      const opened = await open();
      const { sessions, tasks } = withAvailability(opened.state);
      const task = { queue: "q", owner: "o", lister: "l", ttlMs: longMs, pollIntervalMs: 1, work: {} };
      for (const id of ["spoilt", "sound"]) {
        await sessions.create(toSession(id), longMs);
        await tasks.create({ ...task, id }, 100);
      }
      await opened.spoil(text);
      for (let time = 0; time < 5; time++) {
        await expect(sessions.touch("spoilt", longMs)).rejects.toBeInstanceOf(OverloadedError);
        await expect(tasks.get("spoilt")).rejects.toBeInstanceOf(OverloadedError);
      }
      expect((await sessions.touch("sound", longMs))?.session.id).toBe("sound");
      expect((await tasks.get("sound"))?.id).toBe("sound");
    },
  );
});
