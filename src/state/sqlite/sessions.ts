import { OverloadedError } from "../../errors.ts";
import { randomHex } from "../../lib/encoding/random-token.ts";
import { toLifetime } from "../sql/expiry.ts";
import { decodeSession, encodeSession } from "../sql/stored-session.ts";
import { toStoredKey } from "../sql/stored-text.ts";
import type { SessionStore, StoredSession, VersionedSession } from "../state.ts";
import type { Database } from "./database.ts";
import type { Sweeper } from "./sweeper.ts";

interface SessionRow {
  readonly body: string;
  readonly version: string;
  readonly expires_ms: number;
}

export class SqliteSessions implements SessionStore {
  readonly #database: Database;
  readonly #sweeper: Sweeper;

  constructor(database: Database, sweeper: Sweeper) {
    this.#database = database;
    this.#sweeper = sweeper;
  }

  create(session: StoredSession, ttlMs: number): string | undefined {
    const version = randomHex(8);
    const now = Date.now();
    const [created] = this.#database.write<{ version: string }>(
      `INSERT INTO sessions (id, body, version, expires_ms) VALUES (?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET body = excluded.body, version = excluded.version, expires_ms = excluded.expires_ms
       WHERE sessions.expires_ms <= ?
       RETURNING version`,
      [toStoredKey(session.id), encodeSession(session), version, now + toLifetime(ttlMs).mostMs, now],
    );
    this.#sweeper.added();
    return created?.version;
  }

  touch(id: string, ttlMs: number): VersionedSession | undefined {
    const key = toStoredKey(id);
    const now = Date.now();
    const row = this.#database.first<SessionRow>(
      "SELECT body, version, expires_ms FROM sessions WHERE id = ? AND expires_ms > ?",
      [key, now],
    );
    if (row === undefined) return undefined;
    const { leastMs, mostMs } = toLifetime(ttlMs);
    const leftMs = row.expires_ms - now;
    if (leftMs < leastMs || leftMs > mostMs) this.#renew(key, now + mostMs);
    return { session: decodeSession(row.body), version: row.version };
  }

  /** Lets a session live until a time. Where the file takes nothing more, the session keeps the time that it has left. */
  #renew(key: string, expiresMs: number): void {
    try {
      this.#database.write("UPDATE sessions SET expires_ms = ? WHERE id = ?", [expiresMs, key]);
    } catch (error) {
      if (!(error instanceof OverloadedError)) throw error;
    }
  }

  replace(session: StoredSession, version: string, ttlMs: number): string | undefined {
    const next = randomHex(8);
    const now = Date.now();
    const [replaced] = this.#database.write<{ version: string }>(
      "UPDATE sessions SET body = ?, version = ?, expires_ms = ? WHERE id = ? AND version = ? AND expires_ms > ? RETURNING version",
      [encodeSession(session), next, now + toLifetime(ttlMs).mostMs, toStoredKey(session.id), version, now],
    );
    return replaced?.version;
  }

  remove(id: string): boolean {
    const [gone] = this.#database.write<{ expires_ms: number }>(
      "DELETE FROM sessions WHERE id = ? RETURNING expires_ms",
      [toStoredKey(id)],
    );
    return gone !== undefined && gone.expires_ms > Date.now();
  }
}
