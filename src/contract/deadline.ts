import { TimeoutError, UsageError } from "../errors.ts";
import { longestDelayMs } from "../lib/timers.ts";

/** Limits of one request, in milliseconds. `Infinity` switches one off. */
export interface Timeout {
  /** Longest silence; progress starts it anew. Default 60,000. */
  readonly idle?: number | undefined;
  /** Longest time whatever happens. Default 600,000. */
  readonly total?: number | undefined;
}

export const defaultTimeout = { idle: 60_000, total: 600_000 } as const;

/** Watches one request: fires when it was silent for too long, or took too long in all. */
export class Deadline {
  readonly #what: string;
  readonly #idle: number;
  readonly #total: number;
  readonly #onExpire: (error: TimeoutError) => void;
  readonly #isHeld: () => boolean;
  readonly #start: number = performance.now();
  #lastSign: number = this.#start;
  #holds = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** While `isHeld`, silence does not count: the other side waits for us. */
  constructor(
    what: string,
    timeout: Timeout | undefined,
    onExpire: (error: TimeoutError) => void,
    isHeld: () => boolean = () => false,
  ) {
    this.#what = what;
    this.#idle = toLimit(timeout?.idle, defaultTimeout.idle);
    this.#total = toLimit(timeout?.total, defaultTimeout.total);
    this.#onExpire = onExpire;
    this.#isHeld = isHeld;
    this.#arm();
  }

  /** A sign of life. Costs no timer: the running one looks again when it fires. */
  extend(): void {
    this.#lastSign = performance.now();
  }

  /** Silence does not count until the returned function is called, once. */
  hold(): () => void {
    this.#holds++;
    return () => {
      this.#holds--;
      this.extend();
    };
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #arm(): void {
    const left = Math.min(this.#lastSign + this.#idle, this.#start + this.#total) - performance.now();
    if (left === Number.POSITIVE_INFINITY) return;
    this.#timer = setTimeout(() => this.#look(), Math.min(Math.max(left, 0), longestDelayMs));
  }

  #look(): void {
    const now = performance.now();
    if (this.#holds > 0 || this.#isHeld()) this.#lastSign = now;
    if (now >= this.#start + this.#total) this.#expire("total", this.#total);
    else if (now >= this.#lastSign + this.#idle) this.#expire("idle", this.#idle);
    else this.#arm();
  }

  #expire(limit: "idle" | "total", ms: number): void {
    this.#onExpire(new TimeoutError(this.#what, limit, ms));
  }
}

/** A limit that is no number would never be reached, and never end. */
function toLimit(given: number | undefined, otherwise: number): number {
  if (given === undefined) return otherwise;
  if (given >= 0) return given;
  throw new UsageError(`A timeout is a number of milliseconds, not ${given}.`);
}
