import { runLater } from "./timers.ts";

export interface StallTimerOptions {
  readonly stallMs: number;
  /** Cuts the reader off. */
  readonly onStall: () => void;
  /** The amount that waits for the reader. A reader that took some of it when the time is up gets the same time again. */
  readonly unread?: () => number;
}

/**
 * The time limit of a reader that is too slow: starts when the buffer is full, stops when it drains, and
 * fires once when the reader takes nothing for `stallMs`. Keeps no process alive.
 */
export class StallTimer {
  readonly #options: StallTimerOptions;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #unreadAtStart = 0;

  constructor(options: StallTimerOptions) {
    this.#options = options;
  }

  /** Starts the time, unless it is running. */
  start(): void {
    if (this.#timer !== undefined) return;
    this.#unreadAtStart = this.#options.unread?.() ?? 0;
    this.#timer = runLater(this.#onTimeUp, this.#options.stallMs);
  }

  /** Starts the time from zero, because the reader took something. */
  restart(): void {
    this.stop();
    this.start();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  readonly #onTimeUp = (): void => {
    this.#timer = undefined;
    const unread = this.#options.unread?.() ?? 0;
    if (unread >= this.#unreadAtStart) this.#options.onStall();
    else if (unread > 0) this.start();
  };
}
