import { OverloadedError } from "../../errors.ts";
import type { MaybePromise } from "../../lib/async/maybe-promise.ts";
import type { CounterStore, CounterValue } from "../state.ts";

export interface ShareLimits {
  /** The word for what is stored, in keys and messages. */
  readonly what: string;
  /** Characters of one caller, and of all of them, within the time. */
  readonly maxOfHolder: number;
  readonly maxOfAll: number;
}

/** Characters that a caller may store even if others have filled the store. */
const alwaysOfHolder: number = 1024 ** 2;

/**
 * The share of each caller in a store that nodes share. No node knows what the others have stored, so the characters
 * are counted that are stored within a time.
 */
export class Shares {
  readonly #counters: CounterStore;
  readonly #limits: ShareLimits;

  constructor(counters: CounterStore, limits: ShareLimits) {
    this.#counters = counters;
    this.#limits = limits;
  }

  /** Counts what is about to be stored for a caller; rejects with `OverloadedError` where there is no room. */
  async take(holder: string, chars: number, windowMs: number): Promise<void> {
    const { maxOfHolder, maxOfAll } = this.#limits;
    // One after the other: a caller without room takes none of the others' room.
    const own = await this.#countOwn(holder, chars, windowMs);
    const within = `within ${Math.ceil(windowMs / 1000)} s`;
    if (own.count > maxOfHolder)
      throw this.#refusal(`A caller may store at most ${maxOfHolder}`, within, own);
    const all = await this.#countAll(chars, windowMs);
    if (all.count > maxOfAll && own.count > Math.min(alwaysOfHolder, maxOfHolder))
      throw this.#refusal(`All callers together may store at most ${maxOfAll}`, within, all);
  }

  /** Counts what was stored for a caller and can't be refused; returns the time for which there is no room for more. */
  async add(holder: string, chars: number, windowMs: number): Promise<number | undefined> {
    const { maxOfHolder, maxOfAll } = this.#limits;
    const [own, all] = await Promise.all([
      this.#countOwn(holder, chars, windowMs),
      this.#countAll(chars, windowMs),
    ]);
    if (own.count > maxOfHolder) return own.resetsInMs;
    return all.count > maxOfAll && own.count > Math.min(alwaysOfHolder, maxOfHolder)
      ? all.resetsInMs
      : undefined;
  }

  #countOwn(holder: string, chars: number, windowMs: number): MaybePromise<CounterValue> {
    return this.#counters.count(`${this.#limits.what} of ${holder}`, chars, windowMs);
  }

  #countAll(chars: number, windowMs: number): MaybePromise<CounterValue> {
    return this.#counters.count(`all ${this.#limits.what}`, chars, windowMs);
  }

  #refusal(limit: string, within: string, { resetsInMs }: CounterValue): OverloadedError {
    return new OverloadedError(`${limit} characters of ${this.#limits.what} ${within}.`, {
      retryAfterMs: resetsInMs,
    });
  }
}
