/** Listeners by key. The same function may be added several times. */
export class Listeners<T> {
  readonly #byKey = new Map<string, Set<(value: T) => void>>();

  /** The number of keys that somebody listens to. */
  get size(): number {
    return this.#byKey.size;
  }

  /** Returns the function that stops it. */
  add(key: string, listener: (value: T) => void): () => void {
    const own = (value: T) => listener(value);
    const ofKey = this.#byKey.get(key) ?? new Set();
    this.#byKey.set(key, ofKey.add(own));
    return () => {
      ofKey.delete(own);
      if (ofKey.size === 0 && this.#byKey.get(key) === ofKey) this.#byKey.delete(key);
    };
  }

  call(key: string, value: T): void {
    for (const listener of this.#byKey.get(key) ?? []) listener(value);
  }

  callAll(value: T): void {
    for (const key of this.#byKey.keys()) this.call(key, value);
  }
}
