import { Throttle } from "../async/throttle.ts";

/** The pause between two sweeps of a full map, since each looks at everything. */
const sweepEveryMs = 1000;

export interface ExpiringMapOptions<T> {
  /** Called with each value that leaves the map: expired, deleted or replaced. */
  readonly onGone?: (value: T) => void;
  /** Makes the error that `set` throws when the map is full. */
  readonly toFullError?: (max: number) => Error;
}

/** A map whose entries expire. It has no timer: expired entries are swept when others are added. */
export class ExpiringMap<T> {
  readonly #entries = new Map<string, { readonly value: T; readonly expiresAt: number }>();
  readonly #sweeps = new Throttle(sweepEveryMs);
  readonly #max: number;
  readonly #onGone: (value: T) => void;
  readonly #toFullError: (max: number) => Error;
  #sweepAt: number;

  constructor(max: number, options: ExpiringMapOptions<T> = {}) {
    this.#max = max;
    this.#onGone = options.onGone ?? (() => {});
    this.#toFullError =
      options.toFullError ?? ((count) => new Error(`The map holds ${count} entries, its limit.`));
    this.#sweepAt = Math.min(max, 1000);
  }

  /** The number of entries; some may have expired. */
  get size(): number {
    return this.#entries.size;
  }

  get(key: string): { readonly value: T; readonly expiresAt: number } | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || entry.expiresAt > Date.now()) return entry;
    this.#drop(key, entry.value);
    return undefined;
  }

  /** Throws when there is no room left, even after a sweep. */
  set(key: string, value: T, ttlMs: number): void {
    const known = this.#entries.get(key);
    if (known) this.#drop(key, known.value);
    else if (this.#entries.size >= this.#sweepAt) this.#makeRoom();
    this.#entries.set(key, { value, expiresAt: Date.now() + ttlMs });
  }

  delete(key: string): boolean {
    const entry = this.get(key);
    if (entry) this.#drop(key, entry.value);
    return entry !== undefined;
  }

  /** Removes expired entries. */
  sweep(): void {
    const now = Date.now();
    for (const [key, { value, expiresAt }] of this.#entries) if (expiresAt <= now) this.#drop(key, value);
  }

  get #isFull(): boolean {
    return this.#entries.size >= this.#max;
  }

  #drop(key: string, value: T): void {
    this.#entries.delete(key);
    this.#onGone(value);
  }

  /** The next sweep comes when the map has doubled, so that its cost is spread over all additions. */
  #makeRoom(): void {
    if (!this.#isFull || this.#sweeps.isDue()) this.sweep();
    if (this.#isFull) throw this.#toFullError(this.#max);
    this.#sweepAt = Math.min(this.#max, Math.max(1000, this.#entries.size * 2));
  }
}
