export interface BackOffOptions {
  /** The pause after the first failure, in milliseconds. Default 1,000; it doubles with each failure. */
  readonly firstMs?: number | undefined;
  /** The longest pause, in milliseconds. Default 60,000. */
  readonly maxMs?: number | undefined;
}

/** An attempt that held for so long has no part in the failures before it. */
const healthyMs = 30_000;

/** Growing pauses between attempts: half of each is fixed, half random, so that many do not come back at once. */
export class BackOff {
  readonly #firstMs: number;
  readonly #maxMs: number;
  #failures = 0;

  constructor({ firstMs = 1_000, maxMs = 60_000 }: BackOffOptions = {}) {
    this.#firstMs = firstMs;
    this.#maxMs = maxMs;
  }

  get failures(): number {
    return this.#failures;
  }

  /** Counts a failure of what worked for so long; returns the pause before the next attempt, in whole milliseconds. */
  fail(workedMs = 0): number {
    if (workedMs >= healthyMs) this.reset();
    const ms = Math.min(this.#maxMs, this.#firstMs * 2 ** Math.min(this.#failures, 30));
    this.#failures++;
    return Math.round(ms / 2 + (Math.random() * ms) / 2);
  }

  reset(): void {
    this.#failures = 0;
  }
}
