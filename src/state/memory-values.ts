import { ExpiringMap } from "./expiring-map.ts";
import type { ValueStore } from "./state.ts";

export class MemoryValues implements ValueStore {
  readonly #values: ExpiringMap<string>;

  constructor(max: number) {
    this.#values = new ExpiringMap(max);
  }

  add(key: string, value: string, ttlMs: number): boolean {
    if (this.#values.get(key)) return false;
    this.#values.set(key, value, ttlMs);
    return true;
  }

  put(key: string, value: string, ttlMs: number): void {
    this.#values.set(key, value, ttlMs);
  }

  get(key: string): string | undefined {
    return this.#values.get(key)?.value;
  }

  remove(key: string): boolean {
    return this.#values.delete(key);
  }
}
