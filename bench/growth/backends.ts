import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectNats } from "@nats-io/transport-node";
import { memoryState, type State } from "allspeak/http";
import { nats } from "allspeak/state/nats";
import { postgres } from "allspeak/state/postgres";
import { redis } from "allspeak/state/redis";
import { sqlite } from "allspeak/state/sqlite";
import pg from "pg";

/** A store whose server may run on this machine. */
export interface Backend {
  readonly name: string;
  /** Undefined where there is no such server, or this Node has no such store. */
  open(): Promise<OpenBackend | undefined>;
}

export interface OpenBackend {
  readonly state: State;
  /** Closes the state, and removes what would not expire. */
  close(): Promise<void>;
}

const prefix = `bench_${process.pid}`;
/** Nothing of it must survive anything. */
const options = { prefix, durability: "none" } as const;
const redisUrl = "redis://127.0.0.1:6379";
const postgresUrl = "postgres://postgres@127.0.0.1:5432/test";
const natsUrl = "nats://127.0.0.1:4222";

export const backends: readonly Backend[] = [
  { name: "memory", open: async () => toOpen(memoryState()) },
  {
    name: "Redis",
    open: async () => ((await listens(redisUrl)) ? toOpen(redis(redisUrl, options)) : undefined),
  },
  {
    name: "PostgreSQL",
    open: async () => {
      if (!(await listens(postgresUrl))) return undefined;
      return toOpen(postgres(postgresUrl, options), dropSchema);
    },
  },
  {
    name: "NATS",
    open: async () => ((await listens(natsUrl)) ? toOpen(nats(natsUrl, options), deleteStreams) : undefined),
  },
  {
    name: "SQLite, synchronous: normal",
    open: async () => {
      if (process.getBuiltinModule("node:sqlite") === undefined) return undefined;
      const folder = mkdtempSync(join(tmpdir(), "allspeak-bench-"));
      const state = sqlite(join(folder, "state.db"), { synchronous: "normal", durability: "none" });
      return toOpen(state, async () => rmSync(folder, { recursive: true }));
    },
  },
];

function toOpen(state: State, clean: () => Promise<void> = async () => {}): OpenBackend {
  const close = async () => {
    await state.close();
    await clean();
  };
  return { state, close };
}

async function dropSchema(): Promise<void> {
  const client = new pg.Client({ connectionString: postgresUrl });
  await client.connect();
  await client.query(`DROP SCHEMA IF EXISTS "${prefix}" CASCADE`);
  await client.end();
}

async function deleteStreams(): Promise<void> {
  const connection = await connectNats({ servers: new URL(natsUrl).host });
  for (const name of ["state", "events", "queue"])
    await connection.request(`$JS.API.STREAM.DELETE.${prefix}_${name}`);
  await connection.close();
}

/** Whether a server of this machine listens at the port of a URL. */
export function listens(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    const end = (isThere: boolean) => {
      socket.destroy();
      resolve(isThere);
    };
    socket.once("connect", () => end(true));
    socket.once("error", () => end(false));
  });
}
