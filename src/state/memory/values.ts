import { OverloadedError } from "../../errors.ts";
import { Throttle } from "../../lib/async/throttle.ts";
import { ExpiringMap } from "../../lib/bounded/expiring-map.ts";
import type { ValueStore } from "../state.ts";

export interface ValueLimits {
  readonly maxValues: number;
  readonly maxValueChars: number;
}

/** The time between two sweeps of a full store: each looks at everything. */
const sweepEveryMs = 1000;

/** The error of a store that holds as many values as it may. */
export function tooManyValues(max: number): OverloadedError {
  return new OverloadedError(`No more than ${max} values are kept in memory; raise maxValues.`);
}

export class MemoryValues implements ValueStore {
  readonly #values: ExpiringMap<string>;
  readonly #maxChars: number;
  #chars = 0;
  readonly #sweeps = new Throttle(sweepEveryMs);

  constructor({ maxValues, maxValueChars }: ValueLimits) {
    this.#values = new ExpiringMap(maxValues, {
      onGone: (value) => {
        this.#chars -= value.length;
      },
      toFullError: tooManyValues,
    });
    this.#maxChars = maxValueChars;
  }

  add(key: string, value: string, ttlMs: number): boolean {
    if (this.#values.get(key)) return false;
    this.put(key, value, ttlMs);
    return true;
  }

  put(key: string, value: string, ttlMs: number): void {
    const more = value.length - (this.get(key)?.length ?? 0);
    if (!this.#hasRoomFor(more)) {
      throw new OverloadedError(
        `No more than ${this.#maxChars} characters of values are kept in memory; raise maxValueChars.`,
      );
    }
    this.#values.set(key, value, ttlMs);
    this.#chars += value.length;
  }

  get(key: string): string | undefined {
    return this.#values.get(key)?.value;
  }

  remove(key: string): boolean {
    return this.#values.delete(key);
  }

  /** Whether a value fits. An empty one always does, so that nonces can be spent in a full store. */
  #hasRoomFor(chars: number): boolean {
    if (chars <= 0 || this.#chars + chars <= this.#maxChars) return true;
    if (!this.#sweeps.isDue()) return false;
    this.#values.sweep();
    return this.#chars + chars <= this.#maxChars;
  }
}
