import { ExpiringMap } from "./expiring-map.ts";
import type { Counted, CounterStore } from "./state.ts";

export class MemoryCounters implements CounterStore {
  readonly #counters: ExpiringMap<{ count: number }>;

  constructor(max: number) {
    this.#counters = new ExpiringMap(max);
  }

  count(key: string, by: number, windowMs: number): Counted {
    const known = this.#counters.get(key);
    if (known) {
      known.value.count += by;
      return { count: known.value.count, resetsInMs: known.expiresAt - Date.now() };
    }
    this.#counters.set(key, { count: by }, windowMs);
    return { count: by, resetsInMs: windowMs };
  }
}
