import { ExpiringMap } from "../lib/bounded/expiring-map.ts";
import type { CounterValue } from "../state/state.ts";

/** Counters of this node. With more keys than it may have, further ones are not counted. */
export class LocalCounters {
  readonly #max: number;
  readonly #counters: ExpiringMap<{ count: number }>;

  constructor(max: number) {
    this.#max = max;
    this.#counters = new ExpiringMap(max);
  }

  count(key: string, by: number, windowMs: number): CounterValue {
    const known = this.#counters.get(key);
    if (known) {
      known.value.count += by;
      return { count: known.value.count, resetsInMs: known.expiresAt - Date.now() };
    }
    if (this.#counters.size >= this.#max) this.#counters.sweep();
    if (this.#counters.size < this.#max) this.#counters.set(key, { count: by }, windowMs);
    return { count: by, resetsInMs: windowMs };
  }
}
