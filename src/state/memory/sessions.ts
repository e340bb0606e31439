import { ExpiringMap } from "../../lib/bounded/expiring-map.ts";
import type { SessionStore, StoredSession, VersionedSession } from "../state.ts";

export class MemorySessions implements SessionStore {
  /** Without a limit: those who open sessions have a budget for them. */
  readonly #sessions = new ExpiringMap<VersionedSession>(Number.POSITIVE_INFINITY);
  #versions = 0;

  create(session: StoredSession, ttlMs: number): string | undefined {
    return this.#sessions.get(session.id) ? undefined : this.#put(session, ttlMs);
  }

  touch(id: string, ttlMs: number): VersionedSession | undefined {
    const found = this.#sessions.get(id)?.value;
    if (found) this.#sessions.set(id, found, ttlMs);
    return found;
  }

  replace(session: StoredSession, version: string, ttlMs: number): string | undefined {
    const found = this.#sessions.get(session.id)?.value;
    return found?.version === version ? this.#put(session, ttlMs) : undefined;
  }

  remove(id: string): boolean {
    return this.#sessions.delete(id);
  }

  #put(session: StoredSession, ttlMs: number): string {
    const version = String(++this.#versions);
    this.#sessions.set(session.id, { session, version }, ttlMs);
    return version;
  }
}
