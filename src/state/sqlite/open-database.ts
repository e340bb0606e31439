import { closeSync, openSync } from "node:fs";
import { resolve } from "node:path";
import { UsageError } from "../../errors.ts";
import { errorCode } from "../../lib/errno.ts";
import { Database } from "./database.ts";
import { migrations } from "./migrations.ts";
import { isSqliteError, loadNodeSqlite } from "./node-sqlite.ts";

export interface DatabaseSettings {
  readonly synchronous: "full" | "normal";
  readonly busyTimeoutMs: number;
}

/** Marks a file as ours, in its header; the letters "aspk". */
const applicationId = 0x6173706b;

/** The write-ahead log is cut to this size after each checkpoint. */
const maxLogBytes = 8 * 1024 ** 2;

/** The part of the file that is held in memory, at most: 100,000 sessions take half of it. */
const cacheKiB = 64 * 1024;

/** The time to open a file. Nobody waits for answers yet, and a process that was stopped may hold the file for seconds. */
const openingMs = 10_000;

/** Opens or makes the file of a state, and brings its schema up to date. */
export function openDatabase(path: string, settings: DatabaseSettings): Database {
  const { DatabaseSync } = loadNodeSqlite();
  makeFile(path);
  const connection = new DatabaseSync(path);
  const opening = new Database(connection, path, openingMs);
  try {
    configure(opening, settings.synchronous);
    assertOurs(opening, path);
    opening.all("PRAGMA journal_mode = WAL");
    migrate(opening, path);
    return new Database(connection, path, settings.busyTimeoutMs);
  } catch (error) {
    opening.close();
    throw toOpeningError(error, resolve(path));
  }
}

function toOpeningError(cause: unknown, file: string): unknown {
  if (isSqliteError(cause, "notADatabase"))
    return new UsageError(`sqlite(): ${file} is not a SQLite database; name another file.`, { cause });
  if (isSqliteError(cause, "cantOpen") || isSqliteError(cause, "ioError"))
    return new UsageError(
      `sqlite(): the log beside ${file} can't be written; name a file in a folder that may be written.`,
      { cause },
    );
  return cause;
}

/** Makes the file for this user alone; SQLite gives its log the same mode. */
function makeFile(path: string): void {
  try {
    closeSync(openSync(path, "a", 0o600));
  } catch (error) {
    throw new UsageError(
      `sqlite() can't open ${resolve(path)} (${errorCode(error)}); name a file in a folder that exists and may be written.`,
      { cause: error },
    );
  }
}

function configure(database: Database, synchronous: DatabaseSettings["synchronous"]): void {
  database.all(`PRAGMA synchronous = ${synchronous}`);
  database.all(`PRAGMA journal_size_limit = ${maxLogBytes}`);
  // A negative number is a size, and a positive one a number of pages.
  database.all(`PRAGMA cache_size = -${cacheKiB}`);
  // Works only before the first table, and before the log is started.
  database.all("PRAGMA auto_vacuum = INCREMENTAL");
}

function assertOurs(database: Database, path: string): void {
  // Looked at first: another process that makes the tables meanwhile marks them, too.
  const isEmpty = database.all("SELECT 1 FROM sqlite_schema LIMIT 1").length === 0;
  const id = database.first<{ application_id: number }>("PRAGMA application_id")?.application_id;
  if (id === applicationId || (id === 0 && isEmpty)) return;
  throw new UsageError(
    `sqlite(): ${resolve(path)} is the database of another program; name a file that is for this state alone.`,
  );
}

function migrate(database: Database, path: string): void {
  if (versionOf(database) === migrations.length) return;
  database.transaction(() => {
    const version = versionOf(database);
    if (version > migrations.length) {
      throw new UsageError(
        `sqlite(): ${resolve(path)} was written by a newer version of allspeak (schema ${version}, this one knows ${migrations.length}); upgrade allspeak, or name another file.`,
      );
    }
    for (const step of migrations.slice(version)) database.exec(step);
    database.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${migrations.length}`);
  });
}

function versionOf(database: Database): number {
  return database.first<{ user_version: number }>("PRAGMA user_version")?.user_version ?? 0;
}
