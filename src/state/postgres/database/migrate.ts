import { UsageError } from "../../../errors.ts";
import { hasErrorCode } from "../../../lib/errno.ts";
import { migrations } from "./migrations.ts";
import type { PostgresClient } from "./pg-interface.ts";

/** A schema or a table that is missing. */
const missing = ["3F000", "42P01"];

export function isMissing(error: unknown): boolean {
  return hasErrorCode(error, ...missing);
}

/** Brings the schema up to date. Nodes that start at the same time wait for the one that does it. */
export async function migrate(client: PostgresClient, schema: string): Promise<void> {
  if ((await readVersion(client, schema)) === migrations.length) return;
  await client.query({ text: "BEGIN ISOLATION LEVEL READ COMMITTED" });
  await client.query({ text: "SET LOCAL statement_timeout = 0" });
  await client.query({
    text: "SELECT pg_advisory_xact_lock(hashtextextended('migrate ' || $1, 0))",
    values: [schema],
  });
  await client.query({
    text: `CREATE SCHEMA IF NOT EXISTS "${schema}"; CREATE TABLE IF NOT EXISTS "${schema}".meta (version int NOT NULL)`,
  });
  const version = await selectVersion(client, schema);
  assertKnown(version, schema);
  for (const step of migrations.slice(version)) await client.query({ text: step(`"${schema}"`) });
  await client.query({
    text: `DELETE FROM "${schema}".meta; INSERT INTO "${schema}".meta VALUES (${migrations.length})`,
  });
  await client.query({ text: "COMMIT" });
}

/** The version of a schema; 0 when there is none. */
async function readVersion(client: PostgresClient, schema: string): Promise<number> {
  try {
    const version = await selectVersion(client, schema);
    assertKnown(version, schema);
    return version;
  } catch (error) {
    if (isMissing(error)) return 0;
    throw error;
  }
}

async function selectVersion(client: PostgresClient, schema: string): Promise<number> {
  const { rows } = await client.query({ text: `SELECT version FROM "${schema}".meta` });
  const [row] = rows as { readonly version: number }[];
  return row?.version ?? 0;
}

function assertKnown(version: number, schema: string): void {
  if (version <= migrations.length) return;
  throw new UsageError(
    `postgres(): the schema "${schema}" was made by a newer version of allspeak (${version}, this one knows ${migrations.length}); upgrade allspeak, or pass another prefix.`,
  );
}
