/** Entries that are added before the map is made anew, at the least. */
const leastAdded = 64;

/**
 * A map for entries that come and go with each call.
 *
 * A `Map` that is filled and emptied all the time makes a new table every few entries, and each old table refers to
 * the next one. Once the garbage collector has promoted one of them, it keeps what was in all that follow. A new map
 * ends that chain.
 */
export class ShortLivedMap<Key, Value> {
  #entries = new Map<Key, Value>();
  #added = 0;

  get(key: Key): Value | undefined {
    return this.#entries.get(key);
  }

  set(key: Key, value: Value): void {
    // Few entries are copied for each that was added.
    if (++this.#added > leastAdded + 2 * this.#entries.size) {
      this.#entries = new Map(this.#entries);
      this.#added = 0;
    }
    this.#entries.set(key, value);
  }

  delete(key: Key): void {
    this.#entries.delete(key);
  }

  /** The values as they are now, the oldest first. */
  all(): readonly Value[] {
    return [...this.#entries.values()];
  }
}
