const firstMs = 500;
const longestMs = 30_000;
const floorMs = 250;
// A server may ask for patience, but not for ever.
const longestRetryMs = 600_000;
const healthyMs = 5_000;

/** For streams that every client of a server holds: when it restarts, they must not come back all at once. */
export const reconnectSpreadMs = 1_000;

/** How long to wait before something is tried again: longer each time, and never in step with others. */
export class Backoff {
  readonly #leastSpreadMs: number;
  readonly #random: () => number;
  #failures = 0;

  constructor(leastSpreadMs: number = firstMs / 2, random: () => number = Math.random) {
    this.#leastSpreadMs = leastSpreadMs;
    this.#random = random;
  }

  /** Half of it is fixed and half, or more in a crowd, is chance. What the server asks for can make it longer, never shorter. */
  next(retryMs = 0): number {
    const base = Math.min(firstMs * 2 ** this.#failures, longestMs);
    const spread = Math.max(base / 2, this.#leastSpreadMs);
    this.#failures++;
    return Math.max(base / 2, floorMs, Math.min(retryMs, longestRetryMs)) + this.#random() * spread;
  }

  /** Only a stream that held for a while makes up for the failures before it. */
  resetAfter(ms: number): void {
    if (ms >= healthyMs) this.#failures = 0;
  }
}
