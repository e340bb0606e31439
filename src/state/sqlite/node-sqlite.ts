import process from "node:process";
import { UsageError } from "../../errors.ts";

export type SqlValue = string | number | null;

/** The part of a statement of `node:sqlite` that we use. */
export interface Statement {
  all(...values: (SqlValue | { readonly [name: string]: SqlValue })[]): unknown[];
}

/** The part of a database of `node:sqlite` that we use. */
export interface NodeDatabase {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

interface NodeSqlite {
  readonly DatabaseSync: new (path: string) => NodeDatabase;
}

/** Loads `node:sqlite`, which older Nodes lack. The rest of the package works without it. */
export function loadNodeSqlite(): NodeSqlite {
  const loaded = process.getBuiltinModule?.("node:sqlite");
  if (!isNodeSqlite(loaded)) {
    throw new UsageError(
      `sqlite() needs node:sqlite, which is part of Node 22.13 and newer; this is ${process.version}. Install a newer Node, or store the state in Redis, PostgreSQL or NATS.`,
    );
  }
  return loaded;
}

function isNodeSqlite(loaded: unknown): loaded is NodeSqlite {
  return typeof loaded === "object" && loaded !== null && "DatabaseSync" in loaded;
}

/** The codes of errors of SQLite: https://sqlite.org/rescode.html */
const primaryCodes = { busy: 5, readOnly: 8, ioError: 10, full: 13, cantOpen: 14, notADatabase: 26 };

export function isSqliteError(error: unknown, kind: keyof typeof primaryCodes): boolean {
  if (!(error instanceof Error) || !("errcode" in error)) return false;
  // The low byte of an extended code is the primary one.
  return (Number(error.errcode) & 0xff) === primaryCodes[kind];
}
