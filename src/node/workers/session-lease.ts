import type { MaybePromise } from "../../lib/async/maybe-promise.ts";
import type { SessionStore, VersionedSession } from "../../state/state.ts";

/**
 * The time for which the primary lets a worker use its copies of sessions, from each answer on.
 *
 * A change waits so long for a worker that was stopped, less than half of the time that an operation may take.
 */
export const leaseMs = 300;

/** The time for which a worker uses a copy without asking, and so without renewing the session. */
export function copyMs(ttlMs: number): number {
  return ttlMs / 10;
}

/** The sessions of the primary, as one worker uses them. */
export type LeasedSessions = Omit<SessionStore, "touch"> & {
  touch(id: string, ttlMs: number): MaybePromise<LeasedSession>;
};

export interface LeasedSession {
  readonly found: VersionedSession | undefined;
  /** True if the worker may use a copy of it until it is asked to drop it, and has its lease renewed. */
  readonly mayCopy: boolean;
}
