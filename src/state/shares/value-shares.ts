import type { CounterStore, ValueStore } from "../state.ts";
import { Shares } from "./shares.ts";

/** Values that nodes share, with limits for what callers have them keep. */
export function withValueShares(values: ValueStore, counters: CounterStore): ValueStore {
  const shares = new Shares(counters, {
    what: "values",
    maxOfHolder: 64 * 1024 ** 2,
    maxOfAll: 1024 ** 3,
  });
  const takeRoom = async (chars: number, ttlMs: number, holder: string | undefined) => {
    // Spent nonces are empty, and are spent in a full store, too.
    if (holder !== undefined && chars > 0) await shares.take(holder, chars, ttlMs);
  };
  return {
    add: async (key, value, ttlMs, holder) => {
      await takeRoom(value.length, ttlMs, holder);
      return values.add(key, value, ttlMs, holder);
    },
    put: async (key, value, ttlMs, holder) => {
      await takeRoom(value.length, ttlMs, holder);
      await values.put(key, value, ttlMs, holder);
    },
    get: (key) => values.get(key),
    remove: (key) => values.remove(key),
  };
}
