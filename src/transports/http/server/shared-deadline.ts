import { startBackgroundTimer } from "../../../lib/async/timers.ts";

/** Checks within the limit: a wait ends late by at most one of these parts. */
const checksPerLimit = 8;

/** One time limit for many waits, with one timer: starting and stopping a wait costs almost nothing. */
export class SharedDeadline {
  readonly #everyMs: number;
  /** The check at which each wait began; the oldest first. */
  readonly #waiting = new Map<() => void, number>();
  #checks = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(ms: number) {
    this.#everyMs = ms / checksPerLimit;
  }

  /** Calls `onOverdue` once the limit is over, unless it is stopped before. */
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
