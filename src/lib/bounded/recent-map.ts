/** A map whose entries expire and whose number is bounded: a new entry takes the place of the oldest. */
export class RecentMap<T> {
  /** Oldest first. */
  readonly #entries = new Map<string, { readonly value: T; readonly expiresAt: number }>();
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  get(key: string): T | undefined {
    const entry = this.#entries.get(key);
    return entry && entry.expiresAt > Date.now() ? entry.value : undefined;
  }

  set(key: string, value: T, ttlMs: number): void {
    this.#entries.delete(key);
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined && this.#entries.size >= this.#max) this.#entries.delete(oldest);
    this.#entries.set(key, { value, expiresAt: Date.now() + ttlMs });
  }
}
