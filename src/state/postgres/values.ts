import { toTtl } from "../sql/expiry.ts";
import { fromStoredText, toStoredKey, toStoredText } from "../sql/stored-text.ts";
import type { ValueStore } from "../state.ts";
import type { Connection } from "./database/connection.ts";
import { ms, now } from "./sql.ts";

export class PostgresValues implements ValueStore {
  readonly #connection: Connection;
  readonly #add: string;
  readonly #put: string;
  readonly #get: string;
  readonly #remove: string;

  constructor(connection: Connection) {
    this.#connection = connection;
    const table = `"${connection.schema}".entries`;
    this.#put = `
      INSERT INTO ${table} AS e (key, value, expires_at) VALUES ($1, $2, ${now} + ${ms("$3")})
      ON CONFLICT (key) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at`;
    this.#add = `${this.#put} WHERE e.expires_at <= ${now} RETURNING key`;
    this.#get = `SELECT value FROM ${table} WHERE key = $1 AND expires_at > ${now}`;
    this.#remove = `DELETE FROM ${table} WHERE key = $1 RETURNING expires_at > ${now} AS "isAlive"`;
  }

  async add(key: string, value: string, ttlMs: number): Promise<boolean> {
    const values = [toStoredKey(key), toStoredText(value), toTtl(ttlMs)];
    const added = await this.#connection.query("add-value", this.#add, values);
    return added.length > 0;
  }

  async put(key: string, value: string, ttlMs: number): Promise<void> {
    const values = [toStoredKey(key), toStoredText(value), toTtl(ttlMs)];
    await this.#connection.query("put-value", this.#put, values);
  }

  async get(key: string): Promise<string | undefined> {
    const values = [toStoredKey(key)];
    const [row] = await this.#connection.query<{ value: string }>("get-value", this.#get, values);
    return row && fromStoredText(row.value);
  }

  async remove(key: string): Promise<boolean> {
    const values = [toStoredKey(key)];
    const [gone] = await this.#connection.query<{ isAlive: boolean }>("remove-value", this.#remove, values);
    return gone?.isAlive ?? false;
  }
}
