import type { MaybePromise } from "../../lib/async/maybe-promise.ts";
import { BoundedMap } from "../../lib/bounded/bounded-map.ts";
import type { SessionStore, VersionedSession } from "../../state/state.ts";
import { copyMs, type LeasedSessions, leaseMs } from "./session-lease.ts";

interface Copy {
  readonly found: VersionedSession;
  readonly ttlMs: number;
  readonly endsAt: number;
}

const maxCopies = 10_000;

/**
 * The sessions of the primary, as a worker uses them: a session that was found lately is found in a copy.
 *
 * Copies are used while the lease of this worker runs, which each answer of the primary renews. A worker that has not
 * received anything from the primary for that long, because it was stopped, uses none.
 */
export class SessionCopies implements SessionStore {
  readonly #primary: LeasedSessions;
  readonly #copies = new BoundedMap<string, Copy>(maxCopies);
  #leaseEndsAt = 0;
  #renewAt = 0;
  #drops = 0;

  constructor(primary: LeasedSessions) {
    this.#primary = primary;
  }

  touch(id: string, ttlMs: number): MaybePromise<VersionedSession | undefined> {
    const now = performance.now();
    const copy = this.#copies.get(id);
    if (copy === undefined || copy.ttlMs !== ttlMs || copy.endsAt <= now || this.#leaseEndsAt <= now)
      return this.#ask(id, ttlMs, now);
    if (this.#renewAt <= now) this.#renew(id, ttlMs, now);
    return copy.found;
  }

  create(...args: Parameters<SessionStore["create"]>): MaybePromise<string | undefined> {
    return this.#primary.create(...args);
  }

  replace(...args: Parameters<SessionStore["replace"]>): MaybePromise<string | undefined> {
    return this.#primary.replace(...args);
  }

  remove(id: string): MaybePromise<boolean> {
    return this.#primary.remove(id);
  }

  /** Drops the copy of a session that is about to change. An answer that is on its way becomes none. */
  drop(id: string): void {
    this.#drops++;
    this.#copies.delete(id);
  }

  /** Asks before the lease ends, so that no call has to wait for its renewal. */
  #renew(id: string, ttlMs: number, now: number): void {
    this.#renewAt = this.#leaseEndsAt;
    // The calls after the end of the lease ask by themselves, and get the error.
    this.#ask(id, ttlMs, now).catch(() => {});
  }

  async #ask(id: string, ttlMs: number, now: number): Promise<VersionedSession | undefined> {
    const drops = this.#drops;
    const { found, mayCopy } = await this.#primary.touch(id, ttlMs);
    if (found === undefined || !mayCopy) {
      this.#copies.delete(id);
      return found;
    }
    // The primary has begun to count later, so that the lease ends here first.
    if (now + leaseMs > this.#leaseEndsAt) {
      this.#leaseEndsAt = now + leaseMs;
      this.#renewAt = now + leaseMs / 2;
    }
    if (drops === this.#drops) this.#copies.set(id, { found, ttlMs, endsAt: now + copyMs(ttlMs) });
    return found;
  }
}
