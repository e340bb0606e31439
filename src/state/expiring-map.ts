import { OverloadedError } from "../protocol/errors.ts";

/** A map whose entries are gone after a time; they are swept as others come, without a timer. */
export class ExpiringMap<T> {
  readonly #entries = new Map<string, { readonly value: T; readonly expiresAt: number }>();
  readonly #max: number;
  #sweepAt: number;

  constructor(max: number) {
    this.#max = max;
    this.#sweepAt = Math.min(max, 1000);
  }

  get(key: string): { readonly value: T; readonly expiresAt: number } | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || entry.expiresAt > Date.now()) return entry;
    this.#entries.delete(key);
    return undefined;
  }

  /** Throws when there is no room left, even after a sweep. */
  set(key: string, value: T, ttlMs: number): void {
    if (this.#entries.size >= this.#sweepAt && !this.#entries.has(key)) this.#sweep();
    this.#entries.set(key, { value, expiresAt: Date.now() + ttlMs });
  }

  delete(key: string): boolean {
    return this.get(key) !== undefined && this.#entries.delete(key);
  }

  /** The next sweep comes when the map has doubled, so that its cost is shared by all who add. */
  #sweep(): void {
    const now = Date.now();
    for (const [key, { expiresAt }] of this.#entries) if (expiresAt <= now) this.#entries.delete(key);
    if (this.#entries.size >= this.#max) {
      throw new OverloadedError(`No more than ${this.#max} values are kept in memory; raise maxValues.`);
    }
    this.#sweepAt = Math.min(this.#max, Math.max(1000, this.#entries.size * 2));
  }
}
