import { toCancelled } from "../contract/cancelled-error.ts";
import { Deadline, defaultTimeout, type Timeout } from "../contract/deadline.ts";
import { TimeoutError } from "../errors.ts";

/**
 * The total time of a call that takes several steps: each step gets what the others have left.
 *
 * Time between the steps does not count: it is the host's.
 */
export class TimeBudget {
  readonly #what: string;
  readonly #timeout: Timeout;
  readonly #totalMs: number;
  #spentMs: number;

  constructor(what: string, timeout: Timeout, spentMs = 0) {
    this.#what = what;
    this.#timeout = timeout;
    this.#totalMs = timeout.total ?? defaultTimeout.total;
    this.#spentMs = spentMs;
  }

  /** The limits of everything that follows; a total that nobody has set stays unset. */
  get rest(): Timeout {
    return this.#timeout.total === undefined ? this.#timeout : { ...this.#timeout, total: this.#leftMs };
  }

  get #leftMs(): number {
    return Math.max(0, this.#totalMs - this.#spentMs);
  }

  /** Takes a step, which keeps to the limits that it is given. */
  async spend<T>(step: (limits: Timeout) => Promise<T>): Promise<T> {
    const total = this.#leftMs;
    if (total === 0) throw this.#toLate();
    const startedAt = performance.now();
    try {
      return await step({ ...this.#timeout, total });
    } catch (error) {
      throw error instanceof TimeoutError && error.limit === "total" ? this.#toLate() : error;
    } finally {
      this.#spentMs += performance.now() - startedAt;
    }
  }

  /** Takes a step that ends by a signal: when the caller aborts, or when the time is over. */
  spendWithin<T>(signal: AbortSignal | undefined, step: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return this.spend(async ({ total }) => {
      const stop = new AbortController();
      const limits = { idle: Number.POSITIVE_INFINITY, total };
      const deadline = new Deadline(this.#what, limits, (late) => stop.abort(late));
      try {
        return await step(signal ? AbortSignal.any([signal, stop.signal]) : stop.signal);
      } catch (error) {
        if (stop.signal.aborted) throw stop.signal.reason;
        throw signal?.aborted ? toCancelled(this.#what, signal.reason) : error;
      } finally {
        deadline.stop();
      }
    });
  }

  #toLate(): TimeoutError {
    return new TimeoutError(this.#what, "total", this.#totalMs);
  }
}
