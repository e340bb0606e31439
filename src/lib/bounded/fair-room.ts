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

  /** True if so much is in use that holders have to share what is left. */
  isCrowdedBy(amount: number): boolean {
    return this.#used + amount > this.max / 2;
  }

  /** True if a holder, where there is a key, may have more. An empty room takes anything, so that a large thing is not refused forever. */
  fits(amount: number, key?: string): boolean {
    const free = this.max - this.#used;
    return this.#used === 0 || (amount <= free && this.#shareOf(key) + amount <= free);
  }

  /** Takes room, for a holder where there is a key; returns whether it fitted. */
  take(amount: number, key?: string): boolean {
    if (!this.fits(amount, key)) return false;
    this.hold(amount, key);
    return true;
  }

  /** Takes room without a question, for what was found to fit. */
  hold(amount: number, key?: string): void {
    this.#used += amount;
    if (key !== undefined) this.#shares.set(key, this.#shareOf(key) + amount);
  }

  giveBack(amount: number, key?: string): void {
    this.#used -= amount;
    if (key === undefined) return;
    const left = this.#shareOf(key) - amount;
    if (left > 0) this.#shares.set(key, left);
    else this.#shares.delete(key);
  }

  #shareOf(key: string | undefined): number {
    return key === undefined ? 0 : (this.#shares.get(key) ?? 0);
  }
}
