import { startBackgroundTimer } from "../../../lib/timers.ts";

/** How often it is looked within the limit, so that nobody is told later than by this part of it. */
const looks = 8;

/** One time limit for many that wait, by one timer: to begin and to end a wait costs next to nothing. */
export class SharedDeadline {
  readonly #everyMs: number;
  /** Those who wait, and when they began; the oldest first. */
  readonly #waiting = new Map<() => void, number>();
  #look = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(ms: number) {
    this.#everyMs = ms / looks;
  }

  /** Told once the limit is over, unless it is stopped before. */
  start(onOverdue: () => void): void {
    this.#waiting.set(onOverdue, this.#look);
    this.#timer ??= startBackgroundTimer(() => this.#tell(), this.#everyMs);
  }

  stop(onOverdue: () => void): void {
    this.#waiting.delete(onOverdue);
  }

  #tell(): void {
    this.#look++;
    for (const [onOverdue, since] of this.#waiting) {
      if (this.#look - since <= looks) break;
      this.#waiting.delete(onOverdue);
      onOverdue();
    }
    if (this.#waiting.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
