import { randomBytes } from "node:crypto";
import type { State } from "allspeak/http";
import { type PostgresOptions, postgres } from "allspeak/state/postgres";
import pg from "pg";
import { afterAll, onTestFinished } from "vitest";

/** The server that runs on this machine, or the one that is named. */
export const url = process.env.POSTGRES_URL ?? "postgres://postgres@127.0.0.1:5432/test";

/** Whether that server is there. Without it its tests are skipped. */
export const hasPostgres = await isThere();

async function isThere(): Promise<boolean> {
  try {
    await run("SELECT 1");
    return true;
  } catch (error) {
    if (process.env.CI) throw error;
    console.log(`The tests of the PostgreSQL state are skipped: there is no server at ${url}.`);
    return false;
  }
}

/** Runs statements of a test itself. */
export async function run<Row>(sql: string, at: string = url): Promise<Row[]> {
  const client = new pg.Client({ connectionString: at });
  client.on("error", () => {});
  try {
    await client.connect();
    return (await client.query(sql)).rows as Row[];
  } finally {
    await client.end();
  }
}

/** The name of a schema that no other test uses, gone after the test. */
export function ownPrefix(): string {
  const prefix = `test_${randomBytes(8).toString("hex")}`;
  onTestFinished(() => dropSchema(prefix));
  return prefix;
}

/** The same for all tests of a file. */
export function sharedPrefix(): string {
  const prefix = `test_${randomBytes(8).toString("hex")}`;
  afterAll(() => (hasPostgres ? dropSchema(prefix) : undefined));
  return prefix;
}

export async function dropSchema(name: string): Promise<void> {
  await run(`DROP SCHEMA IF EXISTS "${name}" CASCADE`);
}

/** A state that is closed after the test. */
export function openState(prefix: string, options: PostgresOptions = {}, at: string = url): State {
  const state = postgres(at, { prefix, ...options });
  onTestFinished(async () => state.close());
  return state;
}

/** Looks again and again until a look finds something. */
export async function until<T>(look: () => Promise<T | undefined | false>): Promise<T> {
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    await new Promise((resolve) => setTimeout(resolve));
  }
}
