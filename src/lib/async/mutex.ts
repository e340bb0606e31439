/** Runs pieces of work one after the other, in order. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(work: () => T | Promise<T>): Promise<T> {
    const outcome = this.#last.then(work);
    // The caller gets the failure; it keeps nobody from their turn.
    this.#last = outcome.catch(() => {});
    return outcome;
  }

  /** Settles when all work that was begun by now has ended, well or not. */
  async idle(): Promise<void> {
    await this.#last;
  }
}

/** Runs the pieces of work of one key one after the other, in order; those of other keys at the same time. */
export class KeyedMutex {
  readonly #last = new Map<string, Promise<unknown>>();

  /** True if a piece of work of this key runs or waits. */
  isBusy(key: string): boolean {
    return this.#last.has(key);
  }

  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const outcome = before.then(work, work);
    this.#last.set(key, outcome);
    const end = () => {
      if (this.#last.get(key) === outcome) this.#last.delete(key);
    };
    outcome.then(end, end);
    return outcome;
  }
}
