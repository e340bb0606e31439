import { runLater, startBackgroundTimer } from "../../../lib/async/timers.ts";
import { endsWorkWithRequest } from "../../../lib/runtime.ts";

/** A time limit for waits; a wait is known by its function. */
export interface WaitDeadline {
  /** Calls `onOverdue` once the limit is over, unless it is stopped before. */
  start(onOverdue: () => void): void;
  stop(onOverdue: () => void): void;
}

export function createWaitDeadline(ms: number): WaitDeadline {
  return endsWorkWithRequest ? new DeadlinePerWait(ms) : new SharedDeadline(ms);
}

/** Checks within the limit: a wait ends late by at most one of these parts. */
const checksPerLimit = 8;

/** One time limit for many waits, with one timer: starting and stopping a wait costs almost nothing. */
export class SharedDeadline implements WaitDeadline {
  readonly #everyMs: number;
  /** The check at which each wait began; the oldest first. */
  readonly #waiting = new Map<() => void, number>();
  #checks = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(ms: number) {
    this.#everyMs = ms / checksPerLimit;
  }

  start(onOverdue: () => void): void {
    this.#waiting.set(onOverdue, this.#checks);
    this.#timer ??= startBackgroundTimer(() => this.#check(), this.#everyMs);
  }

  stop(onOverdue: () => void): void {
    this.#waiting.delete(onOverdue);
  }

  #check(): void {
    this.#checks++;
    for (const [onOverdue, since] of this.#waiting) {
      if (this.#checks - since <= checksPerLimit) break;
      this.#waiting.delete(onOverdue);
      onOverdue();
    }
    if (this.#waiting.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

/** One timer for each wait, for runtimes in which a timer ends with its request. */
class DeadlinePerWait implements WaitDeadline {
  readonly #ms: number;
  readonly #timers = new Map<() => void, ReturnType<typeof setTimeout>>();

  constructor(ms: number) {
    this.#ms = ms;
  }

  start(onOverdue: () => void): void {
    const timer = runLater(() => {
      this.#timers.delete(onOverdue);
      onOverdue();
    }, this.#ms);
    this.#timers.set(onOverdue, timer);
  }

  stop(onOverdue: () => void): void {
    clearTimeout(this.#timers.get(onOverdue));
    this.#timers.delete(onOverdue);
  }
}
