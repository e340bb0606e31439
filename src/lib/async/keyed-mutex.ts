/** Runs the pieces of work of one key one after the other, in order; those of other keys at the same time. */
export class KeyedMutex {
  readonly #last = new Map<string, Promise<unknown>>();

  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key);
    const outcome = before === undefined ? work() : before.then(work, work);
    this.#last.set(key, outcome);
    const end = () => {
      if (this.#last.get(key) === outcome) this.#last.delete(key);
    };
    outcome.then(end, end);
    return outcome;
  }
}
