import { TimeoutError, UsageError } from "../errors.ts";
import { longestDelayMs } from "../lib/async/timers.ts";
import type { OptionKinds } from "../lib/option-check.ts";

/** Limits of one request, in milliseconds. `Infinity` switches one off. basic/lifecycle#timeouts (2025-11-25) */
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

/** The deadlines of one connection: signs of life that count for all of them, and one timer. */
export class ConnectionDeadlines {
  /** In no order; each deadline knows its place. */
  readonly #open: Deadline[] = [];
  #holds = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #firesAt = Number.POSITIVE_INFINITY;
  /** The time of the last sign of life. */
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

  /** Takes a deadline in; returns its place. */
  add(deadline: Deadline): number {
    this.#arm(deadline.expiresAt);
    return this.#open.push(deadline) - 1;
  }

  /** Most requests of a connection expire in the order in which they came, so that the timer of the first serves all. */
  #arm(at: number): void {
    if (at >= this.#firesAt) return;
    clearTimeout(this.#timer);
    this.#firesAt = at;
    const left = Math.max(at - performance.now(), 0);
    this.#timer = setTimeout(() => this.#check(), Math.min(left, longestDelayMs));
  }

  #check(): void {
    this.#firesAt = Number.POSITIVE_INFINITY;
    for (const deadline of [...this.#open]) {
      deadline.check();
      if (this.#open[deadline.place] === deadline) this.#arm(deadline.expiresAt);
    }
  }

  /** Removes a deadline; the last one takes its place. */
  remove(deadline: Deadline): void {
    const { place } = deadline;
    if (this.#open[place] !== deadline) return;
    const last = this.#open.pop();
    if (last !== undefined && last !== deadline) {
      this.#open[place] = last;
      last.place = place;
    }
    if (this.#open.length > 0) return;
    clearTimeout(this.#timer);
    this.#firesAt = Number.POSITIVE_INFINITY;
  }
}

/** The deadline of one request: expires when it was silent for too long, or took too long in total. */
export class Deadline {
  readonly #what: string;
  readonly #idle: number;
  readonly #total: number;
  readonly #onExpire: (error: TimeoutError) => void;
  readonly #connection: ConnectionDeadlines;
  readonly #start: number = performance.now();
  #lastActivity: number = this.#start;
  #holds = 0;
  /** The index in the list of `ConnectionDeadlines`, which alone sets it. */
  place: number;

  /** Activity of `connection` counts for this request too. */
  constructor(
    what: string,
    timeout: Timeout | undefined,
    onExpire: (error: TimeoutError) => void,
    connection: ConnectionDeadlines = new ConnectionDeadlines(),
  ) {
    this.#what = what;
    this.#idle = toLimit(timeout?.idle, defaultTimeout.idle);
    this.#total = toLimit(timeout?.total, defaultTimeout.total);
    this.#onExpire = onExpire;
    this.#connection = connection;
    this.place = connection.add(this);
  }

  /** Restarts the idle limit. Needs no new timer: the running one checks again when it fires. */
  extend(): void {
    this.#lastActivity = performance.now();
  }

  /** The time at which it expires, unless it is extended. */
  get expiresAt(): number {
    return Math.min(this.#idleAt, this.#start + this.#total);
  }

  /** The time until then, in milliseconds. */
  get timeLeft(): number {
    return this.expiresAt - performance.now();
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
    this.#connection.remove(this);
  }

  /** Expires, if it is time. */
  check(): void {
    const now = performance.now();
    if (this.#holds > 0 || this.#connection.isHeld) this.#lastActivity = now;
    if (now >= this.#start + this.#total) this.#expire("total", this.#total);
    else if (now >= this.#idleAt) this.#expire("idle", this.#idle);
  }

  /** The time at which the silence becomes too long. */
  get #idleAt(): number {
    return Math.max(this.#lastActivity, this.#connection.lastAt) + this.#idle;
  }

  #expire(limit: "idle" | "total", ms: number): void {
    this.stop();
    this.#onExpire(new TimeoutError(this.#what, limit, ms));
  }
}

/** Rejects NaN and negative numbers: a limit of NaN would never be reached. */
function toLimit(given: number | undefined, fallback: number): number {
  if (given === undefined) return fallback;
  if (given >= 0) return given;
  throw new UsageError(`A timeout must be a number of milliseconds, not ${given}.`);
}
