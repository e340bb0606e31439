import { toTtl } from "../sql/expiry.ts";
import { toStoredKey } from "../sql/stored-text.ts";
import type { CounterStore, CounterValue } from "../state.ts";
import type { Connection } from "./database/connection.ts";
import { ms, now } from "./sql.ts";

export class PostgresCounters implements CounterStore {
  readonly #connection: Connection;
  readonly #count: string;

  constructor(connection: Connection) {
    this.#connection = connection;
    // Both columns must agree on whether the window is over, so that the clock is read once.
    const isOver = "c.expires_at <= excluded.counted_at";
    this.#count = `
      INSERT INTO "${connection.schema}".counters AS c (key, count, counted_at, expires_at)
      SELECT $1, $2, at, at + ${ms("$3")} FROM (SELECT ${now} AS at) AS clock
      ON CONFLICT (key) DO UPDATE SET
        count = CASE WHEN ${isOver} THEN excluded.count ELSE c.count + excluded.count END,
        expires_at = CASE WHEN ${isOver} THEN excluded.expires_at ELSE c.expires_at END,
        counted_at = excluded.counted_at
      RETURNING count, (extract(epoch FROM expires_at - counted_at) * 1000)::float8 AS "resetsInMs"`;
  }

  async count(key: string, by: number, windowMs: number): Promise<CounterValue> {
    const values = [toStoredKey(key), by, toTtl(windowMs)];
    const [row] = await this.#connection.query<CounterValue>("count", this.#count, values);
    return row ?? { count: by, resetsInMs: windowMs };
  }
}
