import { OverloadedError } from "../../errors.ts";
import { Throttle } from "../../lib/async/throttle.ts";
import { ExpiringMap } from "../../lib/bounded/expiring-map.ts";
import { FairRoom } from "../../lib/bounded/fair-room.ts";
import type { ValueStore } from "../state.ts";

export interface ValueLimits {
  readonly maxValues?: number | undefined;
  readonly maxValueChars?: number | undefined;
}

export const defaultMaxValues = 1_000_000;
const defaultMaxValueChars: number = 64 * 1024 ** 2;

interface HeldValue {
  readonly text: string;
  readonly holder: string | undefined;
}

/** The time between two sweeps of a full store: each looks at everything. */
const sweepEveryMs = 1000;

/** The error of a store that holds as many values as it may. */
export function tooManyValues(max: number): OverloadedError {
  return new OverloadedError(`No more than ${max} values are kept in memory; raise maxValues.`);
}

/** Values in memory. A holder has at most as much room as it leaves free, so that the largest is refused first. */
export class MemoryValues implements ValueStore {
  readonly #values: ExpiringMap<HeldValue>;
  readonly #places: FairRoom;
  readonly #chars: FairRoom;
  readonly #sweeps = new Throttle(sweepEveryMs);

  constructor({ maxValues = defaultMaxValues, maxValueChars = defaultMaxValueChars }: ValueLimits = {}) {
    this.#values = new ExpiringMap(maxValues, {
      onGone: ({ text, holder }) => {
        this.#places.giveBack(1, holder);
        this.#chars.giveBack(text.length, holder);
      },
      toFullError: tooManyValues,
    });
    this.#places = new FairRoom(maxValues);
    this.#chars = new FairRoom(maxValueChars);
  }

  add(key: string, value: string, ttlMs: number, holder?: string): boolean {
    if (this.#values.get(key)) return false;
    this.put(key, value, ttlMs, holder);
    return true;
  }

  put(key: string, value: string, ttlMs: number, by?: string): void {
    const known = this.#values.get(key)?.value;
    const holder = known ? known.holder : by;
    const chars = value.length - (known?.text.length ?? 0);
    if (!this.#fits(() => known !== undefined || this.#places.fits(1, holder)))
      throw tooManyValues(this.#places.max);
    // An empty value always fits, so that nonces can be spent in a full store.
    if (!this.#fits(() => chars <= 0 || (value.length <= this.#chars.max && this.#chars.fits(chars, holder))))
      throw new OverloadedError(
        `No more than ${this.#chars.max} characters of values are kept in memory; raise maxValueChars.`,
      );
    this.#values.set(key, { text: value, holder }, ttlMs);
    this.#places.hold(1, holder);
    this.#chars.hold(value.length, holder);
  }

  get(key: string): string | undefined {
    return this.#values.get(key)?.value.text;
  }

  remove(key: string): boolean {
    return this.#values.delete(key);
  }

  /** True if there is room, after a sweep if there is none before. */
  #fits(hasRoom: () => boolean): boolean {
    if (hasRoom()) return true;
    if (!this.#sweeps.isDue()) return false;
    this.#values.sweep();
    return hasRoom();
  }
}
