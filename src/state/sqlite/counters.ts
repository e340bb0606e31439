import { toTtl } from "../sql/expiry.ts";
import { toStoredKey } from "../sql/stored-text.ts";
import type { CounterStore, CounterValue } from "../state.ts";
import type { Database } from "./database.ts";
import type { Sweeper } from "./sweeper.ts";

export class SqliteCounters implements CounterStore {
  readonly #database: Database;
  readonly #sweeper: Sweeper;

  constructor(database: Database, sweeper: Sweeper) {
    this.#database = database;
    this.#sweeper = sweeper;
  }

  count(key: string, by: number, windowMs: number): CounterValue {
    const now = Date.now();
    const ends = now + toTtl(windowMs);
    const [row = { count: by, expires_ms: ends }] = this.#database.write<{
      count: number;
      expires_ms: number;
    }>(
      `INSERT INTO counters (key, count, expires_ms) VALUES ($key, $by, $ends)
       ON CONFLICT (key) DO UPDATE SET
         count = CASE WHEN expires_ms <= $now THEN $by ELSE count + $by END,
         expires_ms = CASE WHEN expires_ms <= $now THEN $ends ELSE expires_ms END
       RETURNING count, expires_ms`,
      { key: toStoredKey(key), by, ends, now },
    );
    this.#sweeper.added();
    return { count: row.count, resetsInMs: row.expires_ms - now };
  }
}
