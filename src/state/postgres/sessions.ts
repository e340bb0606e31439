import { randomHex } from "../../lib/encoding/random-token.ts";
import { toLifetime } from "../sql/expiry.ts";
import { decodeSession, encodeSession } from "../sql/stored-session.ts";
import { toStoredKey } from "../sql/stored-text.ts";
import type { SessionStore, StoredSession, VersionedSession } from "../state.ts";
import type { Connection } from "./database/connection.ts";
import { hasTimeLeft, ms, now } from "./sql.ts";

interface VersionRow {
  readonly version: string;
}

interface SessionRow extends VersionRow {
  readonly body: string;
}

export class PostgresSessions implements SessionStore {
  readonly #connection: Connection;
  readonly #create: string;
  readonly #touch: string;
  readonly #replace: string;
  readonly #remove: string;

  constructor(connection: Connection) {
    this.#connection = connection;
    const table = `"${connection.schema}".sessions`;
    this.#create = `
      INSERT INTO ${table} AS s (id, body, version, expires_at) VALUES ($1, $2, $3, ${now} + ${ms("$4")})
      ON CONFLICT (id) DO UPDATE SET body = excluded.body, version = excluded.version, expires_at = excluded.expires_at
      WHERE s.expires_at <= ${now}
      RETURNING version`;
    // A session that was renewed lately is only read.
    this.#touch = `
      WITH renewed AS (
        UPDATE ${table} SET expires_at = ${now} + ${ms("$3")}
        WHERE id = $1 AND expires_at > ${now} AND NOT (${hasTimeLeft("expires_at", now, "$2", "$3")})
      )
      SELECT body, version FROM ${table} WHERE id = $1 AND expires_at > ${now}`;
    this.#replace = `
      UPDATE ${table} SET body = $2, version = $3, expires_at = ${now} + ${ms("$4")}
      WHERE id = $1 AND version = $5 AND expires_at > ${now} RETURNING version`;
    this.#remove = `DELETE FROM ${table} WHERE id = $1 RETURNING expires_at > ${now} AS "isAlive"`;
  }

  async create(session: StoredSession, ttlMs: number): Promise<string | undefined> {
    const values = [toStoredKey(session.id), encodeSession(session), randomHex(8), toLifetime(ttlMs).mostMs];
    const [created] = await this.#connection.query<VersionRow>("create-session", this.#create, values);
    return created?.version;
  }

  async touch(id: string, ttlMs: number): Promise<VersionedSession | undefined> {
    const { leastMs, mostMs } = toLifetime(ttlMs);
    const values = [toStoredKey(id), leastMs, mostMs];
    const [row] = await this.#connection.query<SessionRow>("touch-session", this.#touch, values);
    return row && { session: decodeSession(row.body), version: row.version };
  }

  async replace(session: StoredSession, version: string, ttlMs: number): Promise<string | undefined> {
    const values = [
      toStoredKey(session.id),
      encodeSession(session),
      randomHex(8),
      toLifetime(ttlMs).mostMs,
      toStoredKey(version),
    ];
    const [replaced] = await this.#connection.query<VersionRow>("replace-session", this.#replace, values);
    return replaced?.version;
  }

  async remove(id: string): Promise<boolean> {
    const [gone] = await this.#connection.query<{ isAlive: boolean }>("remove-session", this.#remove, [
      toStoredKey(id),
    ]);
    return gone?.isAlive ?? false;
  }
}
