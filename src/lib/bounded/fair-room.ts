/**
 * Room for things that are not given up once they have it, such as running calls.
 *
 * Half of the room is for whoever comes first, and costs no bookkeeping. Of the rest each holder may
 * have as much as it leaves free, so that the largest is refused first and a newcomer finds room.
 */
export class FairRoom {
  readonly max: number;
  readonly #shares = new Map<string, number>();
  #used = 0;

  constructor(max: number) {
    this.max = max;
  }

  get used(): number {
    return this.#used;
  }

  get isFull(): boolean {
    return this.#used >= this.max;
  }

  /** Whether so much is in use that holders have to share what is left. */
  isCrowdedBy(amount: number): boolean {
    return this.#used + amount > this.max / 2;
  }

  /** Takes room, for a holder where there is a key. An empty room takes anything, so that a large thing is not refused forever. */
  take(amount: number, key?: string): boolean {
    const share = key === undefined ? 0 : (this.#shares.get(key) ?? 0) + amount;
    const free = this.max - this.#used;
    if (this.#used > 0 && (amount > free || share > free)) return false;
    this.#used += amount;
    if (key !== undefined) this.#shares.set(key, share);
    return true;
  }

  giveBack(amount: number, key?: string): void {
    this.#used -= amount;
    if (key === undefined) return;
    const left = (this.#shares.get(key) ?? 0) - amount;
    if (left > 0) this.#shares.set(key, left);
    else this.#shares.delete(key);
  }
}
