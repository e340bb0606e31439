const firstMs = 500;
const longestMs = 30_000;
const floorMs = 250;
// A server may ask for patience, but not indefinitely.
const longestRetryMs = 600_000;
const healthyMs = 5_000;

/** The spread for streams that every client holds: after a restart they must not come back all at once. */
export const reconnectSpreadMs = 1_000;

/** Exponential backoff with jitter, so that clients do not retry or reconnect in step. */
export class RetryDelay {
  readonly #leastSpreadMs: number;
  readonly #random: () => number;
  #failures = 0;

  constructor(leastSpreadMs: number = firstMs / 2, random: () => number = Math.random) {
    this.#leastSpreadMs = leastSpreadMs;
    this.#random = random;
  }

  /**
   * The next delay: half fixed, the rest random. The `retry` of the server can make it longer, never shorter.
   *
   * basic/transports#sending-messages-to-the-server (2025-11-25)
   */
  next(retryMs = 0): number {
    const base = Math.min(firstMs * 2 ** this.#failures, longestMs);
    const spread = Math.max(base / 2, this.#leastSpreadMs);
    this.#failures++;
    return Math.max(base / 2, floorMs, Math.min(retryMs, longestRetryMs)) + this.#random() * spread;
  }

  /** Resets the delay after a stream that held for a while. */
  resetAfter(ms: number): void {
    if (ms >= healthyMs) this.#failures = 0;
  }
}
