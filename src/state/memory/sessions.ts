import type { SessionStore, StoredSession } from "../state.ts";

export class MemorySessions implements SessionStore {
  readonly #sessions = new Map<string, StoredSession>();

  put(session: StoredSession): void {
    this.#sessions.set(session.id, session);
  }

  find(id: string): StoredSession | undefined {
    return this.#sessions.get(id);
  }

  remove(id: string): void {
    this.#sessions.delete(id);
  }
}
