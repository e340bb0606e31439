import type { ValueStore } from "../../../state/state.ts";

/** A corner of a store, so that nobody else's keys are taken for ours. */
export function withKeyPrefix(values: ValueStore, prefix: string): ValueStore {
  return {
    add: (key, value, ttlMs) => values.add(prefix + key, value, ttlMs),
    put: (key, value, ttlMs) => values.put(prefix + key, value, ttlMs),
    get: (key) => values.get(prefix + key),
    remove: (key) => values.remove(prefix + key),
  };
}
