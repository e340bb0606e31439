/** The members of one value that some subschema has evaluated, for the `unevaluated` keywords. */
export class Evaluated {
  readonly keys: Set<PropertyKey> = new Set();
  allKeys = false;
  /** Items before this index were evaluated. */
  items = 0;
  readonly matched: Set<number> = new Set();

  add(other: Evaluated): void {
    for (const key of other.keys) this.keys.add(key);
    for (const index of other.matched) this.matched.add(index);
    this.allKeys ||= other.allKeys;
    this.items = Math.max(this.items, other.items);
  }

  get size(): number {
    return this.keys.size + this.matched.size;
  }
}
