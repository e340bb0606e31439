import { runLater, startBackgroundTimer } from "../../../lib/async/timers.ts";
import { RingPlace } from "../../../lib/bounded/ring.ts";
import { endsWorkWithRequest } from "../../../lib/runtime.ts";

/** A time limit for waits. */
export interface WaitDeadline {
  /** Calls `onOverdue` once the limit is over, unless the wait is stopped before. */
  start(onOverdue: () => void): Wait;
}

export interface Wait {
  stop(): void;
}

export function createWaitDeadline(ms: number): WaitDeadline {
  return endsWorkWithRequest ? new DeadlinePerWait(ms) : new SharedDeadline(ms);
}

/** Checks within the limit: a wait ends late by at most one of these parts. */
const checksPerLimit = 8;

/** One time limit for many waits, with one timer: starting and stopping a wait costs almost nothing. */
export class SharedDeadline implements WaitDeadline {
  readonly #everyMs: number;
  /** Stands between the newest wait and the oldest, which comes after it. */
  readonly #ring = new SharedWait(0, () => {});
  #checks = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(ms: number) {
    this.#everyMs = ms / checksPerLimit;
  }

  start(onOverdue: () => void): Wait {
    const wait = new SharedWait(this.#checks, onOverdue);
    wait.joinBefore(this.#ring);
    this.#timer ??= startBackgroundTimer(() => this.#check(), this.#everyMs);
    return wait;
  }

  #check(): void {
    this.#checks++;
    const ring = this.#ring;
    while (ring.next !== ring && this.#checks - ring.next.since > checksPerLimit) {
      const wait = ring.next;
      wait.stop();
      wait.onOverdue();
    }
    if (ring.next !== ring) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

class SharedWait extends RingPlace implements Wait {
  /** The check at which it began. */
  readonly since: number;
  readonly onOverdue: () => void;

  constructor(since: number, onOverdue: () => void) {
    super();
    this.since = since;
    this.onOverdue = onOverdue;
  }

  stop(): void {
    this.leave();
  }
}

/** One timer for each wait, for runtimes in which a timer ends with its request. */
class DeadlinePerWait implements WaitDeadline {
  readonly #ms: number;

  constructor(ms: number) {
    this.#ms = ms;
  }

  start(onOverdue: () => void): Wait {
    const timer = runLater(onOverdue, this.#ms);
    return { stop: () => clearTimeout(timer) };
  }
}
