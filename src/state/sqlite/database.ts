import { resolve } from "node:path";
import { OverloadedError, UsageError } from "../../errors.ts";
import { isSqliteError, type NodeDatabase, type SqlValue, type Statement } from "./node-sqlite.ts";

export type SqlValues = readonly SqlValue[] | { readonly [name: string]: SqlValue };

/** The time between two attempts at a file that another process writes to. SQLite by itself waits up to 100 ms. */
const attemptEveryMs = 2;
/** The time that a statement waits after one before it has waited in vain. */
const shortBusyMs = 20;

/** An open file, with the statements that were prepared for it. */
export class Database {
  readonly #database: NodeDatabase;
  readonly #path: string;
  readonly #busyTimeoutMs: number;
  readonly #statements = new Map<string, Statement>();
  #isClosed = false;
  /** True if a statement has waited in vain, and nothing was written since. */
  #isLocked = false;

  constructor(database: NodeDatabase, path: string, busyTimeoutMs: number) {
    this.#database = database;
    this.#path = path;
    this.#busyTimeoutMs = busyTimeoutMs;
  }

  /** Runs a statement that reads, to its end; returns its rows. */
  all<Row>(sql: string, values: SqlValues = []): Row[] {
    const rows = this.#whenFree(() => {
      const statement = this.#prepare(sql);
      return isList(values) ? statement.all(...values) : statement.all(values);
    });
    return rows as Row[];
  }

  first<Row>(sql: string, values: SqlValues = []): Row | undefined {
    return this.all<Row>(sql, values)[0];
  }

  /** Runs a statement that writes; returns the rows that it is to return. */
  write<Row>(sql: string, values: SqlValues = []): Row[] {
    const rows = this.all<Row>(sql, values);
    this.#isLocked = false;
    return rows;
  }

  /** Runs several statements that take no values. */
  exec(sql: string): void {
    this.#database.exec(sql);
  }

  /** Does all or nothing of what `work` does, with no writer of any process between. */
  transaction<T>(work: () => T): T {
    this.write("BEGIN IMMEDIATE");
    try {
      const outcome = work();
      this.write("COMMIT");
      return outcome;
    } catch (error) {
      this.#rollBack();
      throw error;
    }
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#statements.clear();
    this.#database.close();
  }

  #prepare(sql: string): Statement {
    if (this.#isClosed) throw new UsageError("This state was closed; call sqlite() again to go on.");
    const known = this.#statements.get(sql);
    if (known) return known;
    const statement = this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  /**
   * Prepares and runs a statement when no other process holds the file. This process stands still meanwhile, so the statements after
   * one that has waited in vain hardly wait at all.
   */
  #whenFree<T>(statement: () => T): T {
    let until: number | undefined;
    for (;;)
      try {
        return statement();
      } catch (error) {
        if (!isSqliteError(error, "busy")) throw findRefusal(error, this.#path) ?? error;
        const now = performance.now();
        until ??= now + (this.#isLocked ? shortBusyMs : this.#busyTimeoutMs);
        if (now >= until) {
          this.#isLocked = true;
          throw error;
        }
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, attemptEveryMs);
      }
  }

  #rollBack(): void {
    try {
      this.write("ROLLBACK");
    } catch {
      // SQLite has rolled back by itself, as it does when the disk is full; the first error has the reason.
    }
  }
}

/** The error of a file that can be read and not written: an error of ours, so that the store is not taken for away. */
function findRefusal(cause: unknown, path: string): OverloadedError | undefined {
  const file = resolve(path);
  if (isSqliteError(cause, "full"))
    return new OverloadedError(
      `The disk of ${file} is full: make room there, or let sessions, events and tasks expire earlier.`,
      { cause },
    );
  if (isSqliteError(cause, "readOnly"))
    return new OverloadedError(
      `${file} can't be written: check the permissions of the file and its folder, and how its disk is mounted.`,
      { cause },
    );
  return undefined;
}

function isList(values: SqlValues): values is readonly SqlValue[] {
  return Array.isArray(values);
}
