import { OverloadedError } from "../errors.ts";
import type { CounterStore, ValueStore } from "./state.ts";

/** Characters of values that a shared store keeps for one caller, and for all of them. */
const maxOfHolder: number = 64 * 1024 ** 2;
const maxOfAll: number = 1024 ** 3;
/** Characters that a caller may store even if others have filled the store. */
const alwaysOfHolder: number = 1024 ** 2;

/**
 * Values that nodes share, with limits for what callers have them keep. No node knows what the others have stored, so
 * the characters are counted that are stored within the time to live.
 */
export function withShares(values: ValueStore, counters: CounterStore): ValueStore {
  const refuse = (max: number, who: string, ttlMs: number): never => {
    throw new OverloadedError(
      `${who} store at most ${max} characters of values within ${Math.ceil(ttlMs / 1000)} s.`,
    );
  };
  const takeRoom = async (chars: number, ttlMs: number, holder: string | undefined) => {
    // Spent nonces are empty, and are spent in a full store, too.
    if (holder === undefined || chars === 0) return;
    // One after the other: a caller without room takes none of the others' room.
    const { count: own } = await counters.count(`held by ${holder}`, chars, ttlMs);
    if (own > maxOfHolder) refuse(maxOfHolder, "A caller may", ttlMs);
    const { count: all } = await counters.count("held", chars, ttlMs);
    if (all > maxOfAll && own > alwaysOfHolder) refuse(maxOfAll, "All callers together may", ttlMs);
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
