import { BoundedMap } from "./bounded-map.ts";

/** A bounded map whose entries expire, too. */
export class RecentMap<T> {
  readonly #entries: BoundedMap<string, { readonly value: T; readonly expiresAt: number }>;

  constructor(max: number) {
    this.#entries = new BoundedMap(max);
  }

  get(key: string): T | undefined {
    const entry = this.#entries.get(key);
    return entry && entry.expiresAt > Date.now() ? entry.value : undefined;
  }

  set(key: string, value: T, ttlMs: number): void {
    this.#entries.set(key, { value, expiresAt: Date.now() + ttlMs });
  }
}
