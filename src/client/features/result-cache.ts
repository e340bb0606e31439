/** Stores the result of a request, unless the cache was invalidated since `begin`. */
export type StoreResult<Value> = (key: string, value: Value, ttlMs: number) => void;

// A day; a longer ttl is cut to this.
const longestTtlMs = 86_400_000;

/** Results that the server allowed to be kept for a while. */
export class ResultCache<Value> {
  readonly #entries = new Map<string, { readonly value: Value; readonly until: number }>();
  readonly #maxEntries: number;
  #invalidations = 0;

  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries;
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (performance.now() < entry.until) return entry.value;
    this.#entries.delete(key);
    return undefined;
  }

  /** Begins a request; its result is not stored if a change is announced meanwhile. */
  begin(): StoreResult<Value> {
    const count = this.#invalidations;
    return (key, value, ttlMs) => {
      if (count !== this.#invalidations || !(ttlMs > 0)) return;
      this.#entries.delete(key);
      const [oldest] = this.#entries.keys();
      if (oldest !== undefined && this.#entries.size >= this.#maxEntries) this.#entries.delete(oldest);
      this.#entries.set(key, { value, until: performance.now() + Math.min(ttlMs, longestTtlMs) });
    };
  }

  drop(key: string): void {
    this.#invalidations++;
    this.#entries.delete(key);
  }

  clear(): void {
    this.#invalidations++;
    this.#entries.clear();
  }
}

/** The time that a result may be cached; 0 unless it has a `ttlMs`. server/utilities/caching (2026-07-28) */
export function ttlOf(result: { readonly ttlMs?: unknown }): number {
  return typeof result.ttlMs === "number" && result.ttlMs > 0 ? result.ttlMs : 0;
}
