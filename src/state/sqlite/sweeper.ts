import { startBackgroundTimer } from "../../lib/async/timers.ts";
import type { Database } from "./database.ts";

/** Rows are swept after so many were added; twice as many may go, so that a file does not grow without end. */
const sweepAfterRows = 64;
const rowsPerSweep = 2 * sweepAfterRows;

const sweepEveryMs = 5_000;
const rowsPerTimedSweep = 2_000;

/** Free pages that stay in the file, because new rows need them soon, and those that one sweep gives back. */
const spareShare = 0.25;
const sparePages = 64;
const pagesPerSweep = 256;

const sweeps = [
  "DELETE FROM sessions WHERE rowid IN (SELECT rowid FROM sessions WHERE expires_ms <= $now LIMIT $rows)",
  "DELETE FROM entries WHERE rowid IN (SELECT rowid FROM entries WHERE expires_ms <= $now LIMIT $rows)",
  "DELETE FROM counters WHERE rowid IN (SELECT rowid FROM counters WHERE expires_ms <= $now LIMIT $rows)",
  "DELETE FROM tasks WHERE rowid IN (SELECT rowid FROM tasks WHERE expires_ms <= $now LIMIT $rows)",
  `DELETE FROM events WHERE place IN (
     SELECT place FROM streams JOIN events ON stream_id = streams.id WHERE expires_ms <= $now LIMIT $rows)`,
  `DELETE FROM streams WHERE id IN (
     SELECT id FROM streams
     WHERE expires_ms <= $now AND NOT EXISTS (SELECT 1 FROM events WHERE stream_id = streams.id) LIMIT $rows)`,
];

/** Removes what has expired, a few rows at a time, and gives the room back to the disk. */
export class Sweeper {
  readonly #database: Database;
  readonly #timer: ReturnType<typeof setInterval>;
  #added = 0;

  constructor(database: Database) {
    this.#database = database;
    this.#timer = startBackgroundTimer(() => this.#sweep(rowsPerTimedSweep), sweepEveryMs);
  }

  /** Takes note of rows that were added. */
  added(rows = 1): void {
    this.#added += rows;
    if (this.#added < sweepAfterRows) return;
    this.#sweep(Math.max(rowsPerSweep, 2 * this.#added));
    this.#added = 0;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #sweep(rows: number): void {
    try {
      if (this.#hasExpired()) this.#removeExpired(rows);
      this.#giveBackRoom();
    } catch {
      // Another process holds the file, or it is broken; the next sweep, or the next call, finds out.
    }
  }

  #removeExpired(rows: number): void {
    const values = { now: Date.now(), rows };
    this.#database.transaction(() => {
      for (const sql of sweeps) this.#database.write(sql, values);
    });
  }

  #giveBackRoom(): void {
    const free =
      this.#database.first<{ freelist_count: number }>("PRAGMA freelist_count")?.freelist_count ?? 0;
    if (free <= sparePages) return;
    const pages = this.#database.first<{ page_count: number }>("PRAGMA page_count")?.page_count ?? 0;
    if (free > pages * spareShare) this.#database.write(`PRAGMA incremental_vacuum(${pagesPerSweep})`);
  }

  /** Reads only, so that a sweep of nothing takes no lock. */
  #hasExpired(): boolean {
    const tables = ["sessions", "entries", "counters", "tasks", "streams"];
    const sql = tables
      .map((table) => `EXISTS (SELECT 1 FROM ${table} WHERE expires_ms <= $now)`)
      .join(" OR ");
    return (
      this.#database.first<{ found: number }>(`SELECT ${sql} AS found`, { now: Date.now() })?.found === 1
    );
  }
}
