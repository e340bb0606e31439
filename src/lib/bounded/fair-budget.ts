import { RingPlace } from "./ring.ts";

/** The readiness to give a thing up; the first ones go first. A `busy` one is taken only from a larger holder, a `kept` one never. */
export type Readiness = "unused" | "idle" | "busy" | "kept";

export interface FairBudgetOptions<T> {
  readonly count: number;
  readonly bytes: number;
  /** Default: every thing is `busy`. */
  readonly readinessOf?: (item: T) => Readiness;
  /** Gives up a thing that has just left the budget. */
  readonly evict: (item: T) => void;
}

interface Holder {
  readonly key: string;
  count: number;
  bytes: number;
}

/** A thing in the budget, in the order of use. */
class Held<T> extends RingPlace {
  readonly item: T;
  readonly holder: Holder;
  bytes = 0;

  constructor(item: T, holder: Holder) {
    super();
    this.item = item;
    this.holder = holder;
  }
}

const costs: { readonly [readiness in Readiness]: number } = { unused: 0, idle: 1, busy: 2, kept: 3 };

/**
 * A budget in count and in bytes for one kind of thing that strangers make us hold, shared by all holders.
 *
 * While there is room, a holder may take it all. Once there is none, the largest holder pays: it loses
 * the thing that it used longest ago, or is refused. A holder's size is the larger of its shares of
 * the count and of the bytes.
 */
export class FairBudget<T> {
  readonly #options: FairBudgetOptions<T>;
  readonly #held = new Map<T, Held<T>>();
  /** No thing: stands between the one that was used last and the one that was used longest ago, which comes after it. */
  readonly #ring = new Held<T>(undefined as T, { key: "", count: 0, bytes: 0 });
  readonly #holders = new Map<string, Holder>();
  readonly #lowestCost: number;
  #bytes = 0;

  constructor(options: FairBudgetOptions<T>) {
    this.#options = options;
    this.#lowestCost = options.readinessOf ? costs.unused : costs.busy;
  }

  get count(): number {
    return this.#held.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Takes room for a thing; false when there is none that its holder may have. */
  add(item: T, key: string, bytes: number): boolean {
    const holder = this.#holders.get(key) ?? { key, count: 0, bytes: 0 };
    this.#holders.set(key, holder);
    const held = new Held(item, holder);
    held.joinBefore(this.#ring);
    this.#held.set(item, held);
    holder.count++;
    this.#weigh(held, bytes);
    if (this.#makeRoom(held)) return true;
    this.remove(item);
    return false;
  }

  /** Changes the bytes of a thing; false when there is no room for them, and the thing should go. */
  resize(item: T, bytes: number): boolean {
    const held = this.#held.get(item);
    if (held === undefined) return false;
    this.#weigh(held, bytes);
    return this.#makeRoom(held);
  }

  /** Takes note that a thing was used. */
  touch(item: T): void {
    const held = this.#held.get(item);
    if (held === undefined) return;
    held.leave();
    held.joinBefore(this.#ring);
  }

  /** Gives room back; safe to call twice. */
  remove(item: T): void {
    const held = this.#held.get(item);
    if (held === undefined) return;
    this.#weigh(held, 0);
    held.leave();
    this.#held.delete(item);
    if (--held.holder.count === 0) this.#holders.delete(held.holder.key);
  }

  /** The number of things of one holder. */
  countOf(key: string): number {
    return this.#holders.get(key)?.count ?? 0;
  }

  #weigh(held: Held<T>, bytes: number): void {
    const more = bytes - held.bytes;
    held.bytes = bytes;
    held.holder.bytes += more;
    this.#bytes += more;
  }

  get #isOver(): boolean {
    return this.#held.size > this.#options.count || this.#bytes > this.#options.bytes;
  }

  #makeRoom(newest: Held<T>): boolean {
    while (this.#isOver) {
      const victim = this.#findVictim(newest);
      if (victim === undefined) return false;
      this.#evictFrom(victim, newest);
    }
    return true;
  }

  /** The thing to give up for the newest: of the largest holder, the readiest, the one that was used longest ago. */
  #findVictim(newest: Held<T>): Held<T> | undefined {
    const own = this.#shareOf(newest.holder);
    const largest = this.#largestShare();
    let found: { readonly held: Held<T>; readonly share: number; readonly cost: number } | undefined;
    for (let held = this.#ring.next; held !== this.#ring; held = held.next) {
      const share = this.#shareOf(held.holder);
      if (held === newest || share < own || (found && share < found.share)) continue;
      const cost = this.#costOf(held);
      if (cost === costs.kept || (cost === costs.busy && share <= own)) continue;
      if (found === undefined || share > found.share || cost < found.cost) found = { held, share, cost };
      if (found.share === largest && found.cost === this.#lowestCost) break;
    }
    return found?.held;
  }

  /**
   * Gives up a thing, and those as ready of the same holder that come after it, as long as it is the largest.
   *
   * One search for many: a large thing may take the place of thousands.
   */
  #evictFrom(victim: Held<T>, newest: Held<T>): void {
    const { holder } = victim;
    const cost = this.#costOf(victim);
    const others = this.#largestShare(holder);
    const isNext = (held: Held<T>) =>
      held.holder === holder && held !== newest && this.#costOf(held) === cost;
    let held = victim;
    do {
      const { next } = held;
      this.remove(held.item);
      this.#options.evict(held.item);
      // A thing that is given up may take others with it.
      if (next !== this.#ring && this.#held.get(next.item) !== next) return;
      held = next;
      while (held !== this.#ring && !isNext(held)) held = held.next;
    } while (held !== this.#ring && this.#isOver && this.#shareOf(holder) > others);
  }

  #costOf({ item }: Held<T>): number {
    return costs[this.#options.readinessOf?.(item) ?? "busy"];
  }

  #largestShare(except?: Holder): number {
    let largest = 0;
    for (const holder of this.#holders.values())
      if (holder !== except) largest = Math.max(largest, this.#shareOf(holder));
    return largest;
  }

  #shareOf({ count, bytes }: Holder): number {
    return Math.max(count / this.#options.count, bytes / this.#options.bytes);
  }
}
