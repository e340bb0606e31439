import { UsageError } from "../../errors.ts";
import type { NodeDatabase, SqlValue, Statement } from "./node-sqlite.ts";

export type SqlValues = readonly SqlValue[] | { readonly [name: string]: SqlValue };

/** An open file, with the statements that were prepared for it. */
export class Database {
  readonly #database: NodeDatabase;
  readonly #statements = new Map<string, Statement>();
  #isClosed = false;

  constructor(database: NodeDatabase) {
    this.#database = database;
  }

  /** Runs a statement to its end; returns its rows. */
  all<Row>(sql: string, values: SqlValues = []): Row[] {
    const statement = this.#prepare(sql);
    const rows = isList(values) ? statement.all(...values) : statement.all(values);
    return rows as Row[];
  }

  first<Row>(sql: string, values: SqlValues = []): Row | undefined {
    return this.all<Row>(sql, values)[0];
  }

  run(sql: string, values: SqlValues = []): void {
    const statement = this.#prepare(sql);
    if (isList(values)) statement.run(...values);
    else statement.run(values);
  }

  /** Runs several statements that take no values. */
  exec(sql: string): void {
    this.#database.exec(sql);
  }

  /** Does all or nothing of what `work` does, with no writer of any process between. */
  transaction<T>(work: () => T): T {
    this.run("BEGIN IMMEDIATE");
    try {
      const outcome = work();
      this.run("COMMIT");
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

  #rollBack(): void {
    try {
      this.run("ROLLBACK");
    } catch {
      // SQLite has rolled back by itself, as it does when the disk is full; the first error has the reason.
    }
  }
}

function isList(values: SqlValues): values is readonly SqlValue[] {
  return Array.isArray(values);
}
