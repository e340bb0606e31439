import type { Change } from "../../contract/server-event.ts";
import { startBackgroundTimer } from "../../lib/async/timers.ts";

export interface ChangeThrottle<T extends Change = Change> {
  readonly onChange: (change: T) => void;
  /** Drops waiting changes, and ends all timers. */
  stop(): void;
}

const refillMs = 1_000;
/** A change and its end, such as a tool that comes and goes, may follow at once. */
const maxTokens = 2;

/** The token bucket of one kind of change. */
interface Bucket<T> {
  tokens: number;
  pending: T | undefined;
  readonly timer: ReturnType<typeof setInterval>;
}

/**
 * Throttles changes of a list: two at once, then one a second. The last one always gets through.
 *
 * Listeners fetch the list again, and a server may announce ten thousand changes a second.
 */
export function throttleChanges<T extends Change>(notify: (change: T) => void): ChangeThrottle<T> {
  const buckets = new Map<T["kind"], Bucket<T>>();
  const refill = (kind: T["kind"], bucket: Bucket<T>) => {
    const { pending } = bucket;
    bucket.pending = undefined;
    if (pending === undefined && ++bucket.tokens === maxTokens) {
      clearInterval(bucket.timer);
      buckets.delete(kind);
    }
    if (pending) notify(pending);
  };
  const createBucket = (kind: T["kind"]): Bucket<T> => {
    const timer = startBackgroundTimer(() => refill(kind, bucket), refillMs);
    const bucket: Bucket<T> = { tokens: maxTokens, pending: undefined, timer };
    buckets.set(kind, bucket);
    return bucket;
  };
  return {
    onChange(change) {
      if (change.kind === "resource") return notify(change);
      const bucket = buckets.get(change.kind) ?? createBucket(change.kind);
      if (bucket.tokens === 0) {
        bucket.pending = change;
        return;
      }
      bucket.tokens--;
      notify(change);
    },
    stop() {
      for (const { timer } of buckets.values()) clearInterval(timer);
      buckets.clear();
    },
  };
}
