/** Stores the result of a request, unless the cache was invalidated since `begin`. */
export type StoreResult<Value> = (key: string, value: Value, lifetime: ResultLifetime) => void;

export interface ResultLifetime {
  readonly ttlMs: number;
  /** The length of the text that brought the result. Default 0, for results that are bounded elsewhere. */
  readonly size?: number;
}

// A day; a longer ttl is cut to this.
const longestTtlMs = 86_400_000;

interface Entry<Value> {
  readonly value: Value;
  readonly until: number;
  readonly size: number;
}

// Characters of all results that one cache keeps.
const maxCachedChars = 16 * 1024 * 1024;

/** Results that the server allowed to be kept for a while; the oldest go when there is no more room. */
export class ResultCache<Value> {
  readonly #entries = new Map<string, Entry<Value>>();
  readonly #maxEntries: number;
  #size = 0;
  #invalidations = 0;

  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries;
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (performance.now() < entry.until) return entry.value;
    this.#remove(key);
    return undefined;
  }

  /**
   * Begins a request; its result is not stored if a change is announced meanwhile.
   *
   * server/utilities/caching#interaction-with-notifications (2026-07-28)
   */
  begin(): StoreResult<Value> {
    const count = this.#invalidations;
    return (key, value, { ttlMs, size = 0 }) => {
      if (count !== this.#invalidations || !(ttlMs > 0) || size > maxCachedChars) return;
      this.#remove(key);
      this.#makeRoom(size);
      this.#size += size;
      this.#entries.set(key, { value, until: performance.now() + Math.min(ttlMs, longestTtlMs), size });
    };
  }

  drop(key: string): void {
    this.#invalidations++;
    this.#remove(key);
  }

  clear(): void {
    this.#invalidations++;
    this.#entries.clear();
    this.#size = 0;
  }

  #makeRoom(size: number): void {
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size < this.#maxEntries && this.#size + size <= maxCachedChars) return;
      this.#remove(oldest);
    }
  }

  #remove(key: string): void {
    this.#size -= this.#entries.get(key)?.size ?? 0;
    this.#entries.delete(key);
  }
}

/**
 * The time that a result may be cached; 0 unless it has a `ttlMs`.
 *
 * server/utilities/caching#time-to-live-ttl-field (2026-07-28)
 */
export function ttlOf(result: { readonly ttlMs?: unknown }): number {
  return typeof result.ttlMs === "number" && result.ttlMs > 0 ? result.ttlMs : 0;
}
