import { ExpiringMap } from "../../lib/bounded/expiring-map.ts";
import type { CounterStore, CounterValue } from "../state.ts";
import { defaultMaxValues, tooManyValues } from "./values.ts";

export class MemoryCounters implements CounterStore {
  readonly #counters: ExpiringMap<{ count: number }>;

  constructor(max: number = defaultMaxValues) {
    this.#counters = new ExpiringMap(max, { toFullError: tooManyValues });
  }

  count(key: string, by: number, windowMs: number): CounterValue {
    const known = this.#counters.get(key);
    if (known) {
      known.value.count += by;
      return { count: known.value.count, resetsInMs: known.expiresAt - Date.now() };
    }
    this.#counters.set(key, { count: by }, windowMs);
    return { count: by, resetsInMs: windowMs };
  }
}
