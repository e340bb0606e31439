type Id = string | number;

interface Identified {
  readonly id: Id;
}

const leastSlots = 16;
/** The most slots that are kept while nothing is in them. */
const mostEmptySlots = 1_024;

/**
 * Items by ids of ours, which are mostly numbers in a row, for items that come and go with each call.
 *
 * A `Map` that is filled and emptied all the time makes a new table every few items, and each old table refers to the
 * next one: once the garbage collector has promoted one of them, it keeps what was in all that follow.
 */
export class IdMap<Item extends Identified> {
  /** An item is at the place of its id, or in the row of filled slots after it. At most half are filled. */
  #slots: (Item | undefined)[] = emptySlots(leastSlots);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(id: Id): Item | undefined {
    return this.#slots[this.#find(id)];
  }

  /** Adds an item, or puts it in the place of the one that has its id. */
  add(item: Item): void {
    if ((this.#size + 1) * 2 > this.#slots.length) this.#move(this.#slots.length * 2);
    const found = this.#find(item.id);
    if (this.#slots[found] === undefined) this.#size++;
    this.#slots[found] = item;
  }

  delete(id: Id): void {
    const found = this.#find(id);
    if (this.#slots[found] === undefined) return;
    this.#size--;
    this.#closeGap(found);
    if (this.#size === 0 && this.#slots.length > mostEmptySlots) this.#slots = emptySlots(leastSlots);
  }

  /** All items, in no order. */
  all(): readonly Item[] {
    return this.#slots.filter((item) => item !== undefined);
  }

  /** The slot of an item, or the empty one where it would be. */
  #find(id: Id): number {
    const last = this.#slots.length - 1;
    for (let at = toPlace(id) & last; ; at = (at + 1) & last) {
      const item = this.#slots[at];
      if (item === undefined || item.id === id) return at;
    }
  }

  /** Empties a slot, and moves up the items after it that belong there or before. */
  #closeGap(emptied: number): void {
    const slots = this.#slots;
    const last = slots.length - 1;
    let gap = emptied;
    for (let at = (gap + 1) & last; ; at = (at + 1) & last) {
      const item = slots[at];
      if (item === undefined) break;
      const isAfterGap = ((at - toPlace(item.id)) & last) < ((at - gap) & last);
      if (isAfterGap) continue;
      slots[gap] = item;
      gap = at;
    }
    slots[gap] = undefined;
  }

  #move(count: number): void {
    const items = this.all();
    this.#slots = emptySlots(count);
    for (const item of items) this.#slots[this.#find(item.id)] = item;
  }
}

function toPlace(id: Id): number {
  if (typeof id === "number") return id;
  let hash = 0;
  for (let at = 0; at < id.length; at++) hash = (hash * 31 + id.charCodeAt(at)) | 0;
  return hash;
}

function emptySlots(count: number): undefined[] {
  return new Array(count).fill(undefined);
}
