import { UsageError } from "../../errors.ts";
import type { MaybePromise } from "../../lib/async/maybe-promise.ts";

/**
 * The host's decisions, kept between connections: pinned tools and consents.
 *
 * Values are JSON. A store that can't be read must reject: taken for empty, everything
 * would be seen for the first time, and so be trusted.
 */
export interface TrustStore {
  get(key: string): unknown;
  /**
   * Replaces a value by what `change` makes of it, in one step: no other writer comes between.
   *
   * Settles when the new value is kept. `change` may be called more than once; when it returns
   * undefined, the value stays as it is. A write that is lost makes a changed tool look new, and so trusted.
   */
  update(key: string, change: TrustChange): MaybePromise<void>;
}

export type TrustValue = { readonly [member: string]: unknown };

/** Returns the new value for the stored one, which is undefined where there is none. Returning undefined changes nothing. */
export type TrustChange = (kept: unknown) => TrustValue | undefined;

/** The store to use for an option: the one that is given, or the one of the process. Throws UsageError. */
export function toTrustStore(given: TrustStore | Map<string, TrustValue> | undefined): TrustStore {
  if (given === undefined) return processTrustStore;
  if (given instanceof Map) return mapTrustStore(given);
  if (typeof given.update === "function") return given;
  throw new UsageError(
    "The trust store has no update(key, change), so two writers could lose each other's writes; " +
      "add it, or use a Map or fileTrustStore(path).",
  );
}

/* @__NO_SIDE_EFFECTS__ */
function mapTrustStore(values: Map<string, TrustValue>): TrustStore {
  return {
    get: (key) => values.get(key),
    update(key, change) {
      const value = change(values.get(key));
      if (value !== undefined) values.set(key, value);
    },
  };
}

/** Lasts as long as the process, shared by all connections that are given no other store. */
const processTrustStore: TrustStore = mapTrustStore(new Map());

/** The error for a record that can't be understood. Taken for none, it would let everything through. */
export function malformedRecord(key: string, decisions: string): UsageError {
  return new UsageError(
    `The record ${key} of the trust store is malformed, so ${decisions} unknown; ` +
      "repair it, or remove it if everything may be decided anew.",
  );
}

/** One text for each list of names, whatever is in them. */
/* @__NO_SIDE_EFFECTS__ */
export function trustKey(...parts: readonly string[]): string {
  return JSON.stringify(parts);
}
