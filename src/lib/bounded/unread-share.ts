import type { FairBudget } from "./fair-budget.ts";

/** The room for output that waits for its readers; a reader in it can be cut off. */
export type UnreadBudget = FairBudget<{ giveUp(): void }>;

/** The share that one reader takes of the room for output that waits for its readers. */
export class UnreadShare {
  readonly #budget: UnreadBudget;
  readonly #holder: string;
  readonly giveUp: () => void;
  #isHeld = false;

  /** `cut` cuts the reader off, to make room for others. */
  constructor(budget: UnreadBudget, holder: string, cut: () => void) {
    this.#budget = budget;
    this.#holder = holder;
    this.giveUp = cut;
  }

  /** Takes room for all bytes that wait now. Without any, the reader is cut off, unless no other has to wait. */
  hold(bytes: number): void {
    const budget = this.#budget;
    const hasRoom = this.#isHeld ? budget.resize(this, bytes) : budget.add(this, this.#holder, bytes);
    this.#isHeld = true;
    if (hasRoom) return;
    this.release();
    if (budget.count > 0) this.giveUp();
  }

  release(): void {
    this.#isHeld = false;
    this.#budget.remove(this);
  }
}
