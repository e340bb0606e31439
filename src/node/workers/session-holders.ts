import { andThen, isPromise, type MaybePromise } from "../../lib/async/maybe-promise.ts";
import { KeyedMutex } from "../../lib/async/mutex.ts";
import { ExpiringMap } from "../../lib/bounded/expiring-map.ts";
import type { SessionStore } from "../../state/state.ts";
import type { SessionHolder } from "./session-holder.ts";
import { copyMs, type LeasedSession, type LeasedSessions } from "./session-lease.ts";

/** The workers that may hold a copy of a session. */
interface Held {
  /** The time to live that they found the session with. */
  readonly ttlMs: number;
  readonly by: Set<SessionHolder>;
}

const known = new WeakMap<SessionStore, SessionHolders>();

/**
 * The workers that hold copies of sessions of this process.
 *
 * A session is changed when all copies of it have been dropped, so that no worker finds it as it was before. A session
 * lives on while there are copies, since workers do not report when they use them.
 */
export class SessionHolders {
  readonly #sessions: SessionStore;
  readonly #held = new ExpiringMap<Held>(Number.POSITIVE_INFINITY);
  readonly #changes = new KeyedMutex();
  /** True if the store answers with promises, so that there are no copies. */
  #answersLater = false;

  private constructor(sessions: SessionStore) {
    this.#sessions = sessions;
  }

  /** The holders of the sessions in a store: the same object for the same store. */
  static of(sessions: SessionStore): SessionHolders {
    const holders = known.get(sessions) ?? new SessionHolders(sessions);
    known.set(sessions, holders);
    return holders;
  }

  sessionsFor(holder: SessionHolder): LeasedSessions {
    const sessions = this.#sessions;
    return {
      touch: (id, ttlMs) => this.#touch(id, ttlMs, holder),
      create: (session, ttlMs) => sessions.create(session, ttlMs),
      replace: (session, version, ttlMs) =>
        this.#change(session.id, () => sessions.replace(session, version, ttlMs)),
      remove: (id) => this.#change(id, () => sessions.remove(id)),
    };
  }

  #touch(id: string, ttlMs: number, holder: SessionHolder): MaybePromise<LeasedSession> {
    const held = this.#held.get(id)?.value;
    if (this.#changes.isBusy(id) || this.#answersLater) return this.#find(id, ttlMs);
    // The session may expire before the copies end.
    if (held && held.ttlMs !== ttlMs) return this.#change(id, () => this.#find(id, ttlMs));
    const livesMs = ttlMs + copyMs(ttlMs);
    const found = this.#sessions.touch(id, livesMs);
    // A change that comes before the answer would not know of the copy.
    if (isPromise(found)) {
      this.#answersLater = true;
      return found.then(() => this.#find(id, ttlMs));
    }
    if (found === undefined) {
      this.#held.delete(id);
      return { found, mayCopy: false };
    }
    const by = held?.by ?? new Set();
    for (const each of by) if (each.hasEnded) by.delete(each);
    this.#held.set(id, { ttlMs, by: by.add(holder) }, livesMs);
    holder.renewLease();
    return { found, mayCopy: true };
  }

  #find(id: string, ttlMs: number): MaybePromise<LeasedSession> {
    return andThen(this.#sessions.touch(id, ttlMs), (found) => ({ found, mayCopy: false }));
  }

  #change<T>(id: string, change: () => MaybePromise<T>): Promise<T> {
    return this.#changes.run(id, async () => {
      const by = this.#held.get(id)?.value.by ?? [];
      this.#held.delete(id);
      await Promise.all([...by].map((holder) => holder.drop(id)));
      return change();
    });
  }
}
