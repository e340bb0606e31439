/** Lets work through at most once in a time, and drops the rest. */
export class Throttle {
  readonly #everyMs: number;
  #dueAt = 0;

  constructor(everyMs: number) {
    this.#everyMs = everyMs;
  }

  /** Returns whether the work is due; if so, it is not due again until the time has passed. */
  isDue(): boolean {
    const now = Date.now();
    if (now < this.#dueAt) return false;
    this.#dueAt = now + this.#everyMs;
    return true;
  }
}
