import { connect } from "@nats-io/transport-node";
import { Redis } from "ioredis";
import { onTestFinished } from "vitest";
import { describeUnreadableEntries } from "../contract/unreadable-entries.ts";
import * as nats from "./nats/support.ts";
import * as pg from "./postgres/support.ts";
import * as redis from "./redis/support.ts";

describeUnreadableEntries("Redis", redis.hasRedis, async () => {
  const prefix = redis.ownPrefix();
  const openOne = async () => redis.openState(await redis.connectors["a URL and ioredis"](), { prefix });
  const client = new Redis(redis.url);
  onTestFinished(() => client.disconnect());
  return {
    state: await openOne(),
    again: openOne,
    spoil: async (kind, id, text) => {
      if (kind === "session") await client.set(`${prefix}:session:${id}`, `0123456789abcdef${text}`);
      else
        for (const key of await client.keys(`{${prefix}:tasks}*${id}`))
          if ((await client.type(key)) === "hash") await client.hset(key, "task", text);
    },
  };
});

describeUnreadableEntries("PostgreSQL", pg.hasPostgres, () => {
  const prefix = pg.ownPrefix();
  return {
    state: pg.openState(prefix),
    again: () => pg.openState(prefix),
    spoil: async (kind, id, text) => {
      const [table, column] = kind === "session" ? ["sessions", "body"] : ["tasks", "fixed"];
      await pg.run(`UPDATE "${prefix}".${table} SET ${column} = '${text}' WHERE id = '${id}'`);
    },
  };
});

const natsPrefix = nats.ownPrefix();
let natsStates = 0;

describeUnreadableEntries("NATS", nats.hasNats, () => {
  const prefix = `${natsPrefix}-${natsStates++}`;
  onTestFinished(() => nats.deleteStreams(prefix));
  return {
    state: nats.openState({ prefix }),
    again: () => nats.openState({ prefix }),
    spoil: async (kind, id, text) => {
      const connection = await connect({ servers: new URL(nats.url).host });
      const subject = `${prefix}.state.${kind}.k${Buffer.from(id).toString("base64url")}`;
      const { headers } = await import("@nats-io/transport-node");
      const expires = headers();
      expires.set("Allspeak-Expires", String(Date.now() + 600_000));
      await connection.request(subject, text, { headers: expires, timeout: 2_000 });
      await connection.close();
    },
  };
});
