import { TimeoutError, UsageError } from "../errors.ts";
import { longestDelayMs } from "../lib/async/timers.ts";
import type { OptionKinds } from "../lib/option-check.ts";

/** Limits of one request, in milliseconds. `Infinity` switches one off. */
export interface Timeout {
  /**
   * The longest time without a sign of life: progress, log messages, pings, or bytes of the answer.
   * Default 60,000.
   */
  readonly idle?: number | undefined;
  /** The longest time in total. Default 600,000. */
  readonly total?: number | undefined;
}

export const timeoutKinds: OptionKinds<Timeout> = { idle: "number", total: "number" };

export const defaultTimeout = { idle: 60_000, total: 600_000 } as const;

/** Signs of life that count for all requests of one connection. */
export class ConnectionActivity {
  #holds = 0;
  /** The time of the last sign. */
  lastAt: number = Number.NEGATIVE_INFINITY;

  /** True while the silence is not the peer's: the other side waits for us. */
  get isHeld(): boolean {
    return this.#holds > 0;
  }

  extend(): void {
    this.lastAt = performance.now();
  }

  /** Stops all idle limits until the returned function is called, once. */
  hold(): () => void {
    this.#holds++;
    return () => {
      this.#holds--;
      this.extend();
    };
  }
}

/** The deadline of one request: expires when it was silent for too long, or took too long in total. */
export class Deadline {
  readonly #what: string;
  readonly #idle: number;
  readonly #total: number;
  readonly #onExpire: (error: TimeoutError) => void;
  readonly #connection: ConnectionActivity | undefined;
  readonly #start: number = performance.now();
  #lastActivity: number = this.#start;
  #holds = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Activity of `connection` counts for this request too. */
  constructor(
    what: string,
    timeout: Timeout | undefined,
    onExpire: (error: TimeoutError) => void,
    connection?: ConnectionActivity,
  ) {
    this.#what = what;
    this.#idle = toLimit(timeout?.idle, defaultTimeout.idle);
    this.#total = toLimit(timeout?.total, defaultTimeout.total);
    this.#onExpire = onExpire;
    this.#connection = connection;
    this.#arm();
  }

  /** Restarts the idle limit. Needs no new timer: the running one checks again when it fires. */
  extend(): void {
    this.#lastActivity = performance.now();
  }

  /** The time until it expires, in milliseconds, unless it is extended. */
  get timeLeft(): number {
    return Math.min(this.#idleAt, this.#start + this.#total) - performance.now();
  }

  /** Stops the idle limit until the returned function is called, once. */
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

  /** The time at which the silence becomes too long. */
  get #idleAt(): number {
    return Math.max(this.#lastActivity, this.#connection?.lastAt ?? this.#start) + this.#idle;
  }

  #arm(): void {
    const left = this.timeLeft;
    if (left === Number.POSITIVE_INFINITY) return;
    this.#timer = setTimeout(() => this.#check(), Math.min(Math.max(left, 0), longestDelayMs));
  }

  #check(): void {
    const now = performance.now();
    if (this.#holds > 0 || this.#connection?.isHeld) this.#lastActivity = now;
    if (now >= this.#start + this.#total) this.#expire("total", this.#total);
    else if (now >= this.#idleAt) this.#expire("idle", this.#idle);
    else this.#arm();
  }

  #expire(limit: "idle" | "total", ms: number): void {
    this.#onExpire(new TimeoutError(this.#what, limit, ms));
  }
}

/** Rejects NaN and negative numbers: a limit of NaN would never be reached. */
function toLimit(given: number | undefined, fallback: number): number {
  if (given === undefined) return fallback;
  if (given >= 0) return given;
  throw new UsageError(`A timeout must be a number of milliseconds, not ${given}.`);
}
