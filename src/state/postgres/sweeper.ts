import { runLater } from "../../lib/async/timers.ts";
import type { Connection } from "./database/connection.ts";
import { now } from "./sql.ts";

const rowsPerStep = 500;
const stepsPerRound = 40;

const tables = [
  { name: "sessions", key: "id" },
  { name: "entries", key: "key" },
  { name: "counters", key: "key" },
  { name: "tasks", key: "id" },
  { name: "streams", key: "id" },
] as const;

/** Removes what has expired, a few rows at a time. Of all nodes, one does it at a time. */
export class Sweeper {
  readonly #connection: Connection;
  readonly #everyMs: number;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(connection: Connection, everyMs: number) {
    this.#connection = connection;
    this.#everyMs = everyMs;
    this.#plan();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Nodes that started together do not sweep together. */
  #plan(): void {
    this.#timer = runLater(() => void this.#sweep(), this.#everyMs * (0.5 + Math.random()));
  }

  async #sweep(): Promise<void> {
    try {
      if (this.#connection.isUsed) for (const table of tables) await this.#sweepTable(table);
    } catch {
      // The database is away, or busy; the next round goes on.
    }
    if (this.#timer) this.#plan();
  }

  async #sweepTable({ name, key }: (typeof tables)[number]): Promise<void> {
    const table = `"${this.#connection.schema}".${name}`;
    const sql = `
      WITH turn AS MATERIALIZED (
        SELECT pg_try_advisory_xact_lock(hashtextextended('sweep ' || $1, 0)) AS "isOurs"
      ), expired AS MATERIALIZED (
        SELECT ${key} FROM ${table}, turn WHERE "isOurs" AND expires_at <= ${now} LIMIT $2 FOR UPDATE OF ${name} SKIP LOCKED
      )
      DELETE FROM ${table} WHERE ${key} IN (SELECT ${key} FROM expired) RETURNING 1`;
    for (let step = 0; step < stepsPerRound && this.#timer; step++) {
      const gone = await this.#connection.query(`sweep-${name}`, sql, [this.#connection.schema, rowsPerStep]);
      if (gone.length < rowsPerStep) return;
    }
  }
}
