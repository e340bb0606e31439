import { toTtl } from "../sql/expiry.ts";
import { fromStoredText, toStoredKey, toStoredText } from "../sql/stored-text.ts";
import type { ValueStore } from "../state.ts";
import type { Database } from "./database.ts";
import type { Sweeper } from "./sweeper.ts";

const insert = `INSERT INTO entries (key, value, expires_ms) VALUES (?, ?, ?)
  ON CONFLICT (key) DO UPDATE SET value = excluded.value, expires_ms = excluded.expires_ms`;

export class SqliteValues implements ValueStore {
  readonly #database: Database;
  readonly #sweeper: Sweeper;

  constructor(database: Database, sweeper: Sweeper) {
    this.#database = database;
    this.#sweeper = sweeper;
  }

  add(key: string, value: string, ttlMs: number): boolean {
    const now = Date.now();
    const [added] = this.#database.write(`${insert} WHERE entries.expires_ms <= ? RETURNING key`, [
      toStoredKey(key),
      toStoredText(value),
      now + toTtl(ttlMs),
      now,
    ]);
    this.#sweeper.added();
    return added !== undefined;
  }

  put(key: string, value: string, ttlMs: number): void {
    this.#database.write(insert, [toStoredKey(key), toStoredText(value), Date.now() + toTtl(ttlMs)]);
    this.#sweeper.added();
  }

  get(key: string): string | undefined {
    const row = this.#database.first<{ value: string }>(
      "SELECT value FROM entries WHERE key = ? AND expires_ms > ?",
      [toStoredKey(key), Date.now()],
    );
    return row && fromStoredText(row.value);
  }

  remove(key: string): boolean {
    const [gone] = this.#database.write<{ expires_ms: number }>(
      "DELETE FROM entries WHERE key = ? RETURNING expires_ms",
      [toStoredKey(key)],
    );
    return gone !== undefined && gone.expires_ms > Date.now();
  }
}
