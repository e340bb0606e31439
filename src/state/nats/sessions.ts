import { randomHex } from "../../lib/encoding/random-token.ts";
import { checkStoredSession } from "../check-stored.ts";
import { parseStoredObject, unreadableEntry } from "../parse-stored.ts";
import type { SessionStore, StoredSession, VersionedSession } from "../state.ts";
import type { RecordChange, Records } from "./records.ts";

/** A session that lives so long is kept a tenth longer than asked, so that few of its requests have to write. */
const longMs = 10_000;

export class NatsSessions implements SessionStore {
  readonly #records: Records;

  constructor(records: Records) {
    this.#records = records;
  }

  create(session: StoredSession, ttlMs: number): Promise<string | undefined> {
    return this.#records.update<string | undefined>(this.#subject(session.id), (record) => {
      if (record) return { outcome: undefined };
      const created = { session, version: randomHex(8) };
      return { change: this.#toChange(created, ttlMs), outcome: created.version };
    });
  }

  async touch(id: string, ttlMs: number): Promise<VersionedSession | undefined> {
    const subject = this.#subject(id);
    const record = await this.#records.read(subject);
    if (record === undefined) return undefined;
    const isLongEnough = record.expiresAt >= this.#records.store.clock.now() + ttlMs;
    return isLongEnough ? fromText(record.text) : this.#renew(subject, ttlMs);
  }

  replace(session: StoredSession, version: string, ttlMs: number): Promise<string | undefined> {
    return this.#records.update<string | undefined>(this.#subject(session.id), (record) => {
      if (record === undefined || fromText(record.text).version !== version) return { outcome: undefined };
      const replaced = { session, version: randomHex(8) };
      return { change: this.#toChange(replaced, ttlMs), outcome: replaced.version };
    });
  }

  remove(id: string): Promise<boolean> {
    return this.#records.remove(this.#subject(id));
  }

  #renew(subject: string, ttlMs: number): Promise<VersionedSession | undefined> {
    return this.#records.update<VersionedSession | undefined>(subject, (record) => {
      if (record === undefined) return { outcome: undefined };
      const outcome = fromText(record.text);
      const isLongEnough = record.expiresAt >= this.#records.store.clock.now() + ttlMs;
      return isLongEnough ? { outcome } : { change: this.#toChange(outcome, ttlMs), outcome };
    });
  }

  #toChange(session: VersionedSession, ttlMs: number): RecordChange {
    const extraMs = ttlMs >= longMs ? ttlMs / 10 : 0;
    const expiresAt = this.#records.store.clock.now() + Math.ceil(ttlMs + extraMs);
    return { text: JSON.stringify(session), expiresAt };
  }

  #subject(id: string): string {
    return this.#records.store.subject("state", "session", id);
  }
}

function fromText(text: string): VersionedSession {
  const { session, version } = parseStoredObject<Partial<VersionedSession>>(text);
  if (typeof version !== "string") throw unreadableEntry();
  return { session: checkStoredSession(session), version };
}
