/** Entries that are added before the map is made anew, at the least. */
const leastAdded = 64;

/**
 * A map for entries that come and go with each call.
 *
 * A `Map` that is filled and emptied all the time makes a new table every few entries, and each old table refers to
 * the next one. Once the garbage collector has promoted one of them, it keeps what was in all that follow. A new map
 * ends that chain. An entry that is alone needs no table.
 */
export class ShortLivedMap<Key, Value extends NonNullable<unknown>> {
  #firstKey: Key | undefined;
  #first: Value | undefined;
  /** The entries that came while there was another one. */
  #others: Map<Key, Value> | undefined;
  #added = 0;

  get size(): number {
    return (this.#first === undefined ? 0 : 1) + (this.#others?.size ?? 0);
  }

  get(key: Key): Value | undefined {
    return this.#isFirst(key) ? this.#first : this.#others?.get(key);
  }

  set(key: Key, value: Value): void {
    if (this.size > 0 && !this.#isFirst(key)) return this.#setOther(key, value);
    this.#firstKey = key;
    this.#first = value;
  }

  delete(key: Key): void {
    if (this.#isFirst(key)) this.#first = undefined;
    else this.#others?.delete(key);
  }

  /** The values as they are now, the oldest first. */
  all(): readonly Value[] {
    const others = this.#others?.values() ?? [];
    return this.#first === undefined ? [...others] : [this.#first, ...others];
  }

  #isFirst(key: Key): boolean {
    return this.#first !== undefined && this.#firstKey === key;
  }

  #setOther(key: Key, value: Value): void {
    const others = this.#others ?? new Map<Key, Value>();
    // Few entries are copied for each that was added.
    const isWorn = ++this.#added > leastAdded + 2 * others.size;
    if (isWorn) this.#added = 0;
    this.#others = isWorn ? new Map(others) : others;
    this.#others.set(key, value);
  }
}
