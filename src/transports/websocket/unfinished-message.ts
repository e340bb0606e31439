import type { FairBudget } from "../../lib/bounded/fair-budget.ts";
import { FrameReader } from "./frame-reader.ts";

/** The room for input that has begun to arrive; what is in it can be given up. */
export type UnfinishedBudget = FairBudget<{ giveUp(): void }>;

export interface UnfinishedMessageOptions {
  readonly budget: UnfinishedBudget;
  readonly holder: string;
  /** The time that a message may take to arrive. */
  readonly messageMs: number;
  /** Cuts the connection. */
  readonly cut: () => void;
}

/** The bytes of one connection that wait for the end of their message, which the package `ws` keeps. */
export class UnfinishedMessage {
  readonly #options: UnfinishedMessageOptions;
  readonly #frames = new FrameReader();
  readonly giveUp: () => void;
  #bytes = 0;
  #startedAt = 0;

  constructor(options: UnfinishedMessageOptions) {
    this.#options = options;
    this.giveUp = options.cut;
  }

  /** True when a message has begun, and should have ended by now. */
  get isOverdue(): boolean {
    return this.#bytes > 0 && Date.now() - this.#startedAt > this.#options.messageMs;
  }

  /** Takes note of bytes. They count as a whole: a part that waits keeps the memory of all that came with it. */
  onBytes(chunk: Uint8Array): void {
    if (this.#frames.read(chunk)) this.end();
    if (!this.#frames.isMidMessage) return;
    if (this.#bytes === 0) this.restart();
    this.#hold(chunk.length);
  }

  /** Begins the time anew: nothing was read for a while. */
  restart(): void {
    this.#startedAt = Date.now();
  }

  /** Gives the room back: the message has ended, or its connection. */
  end(): void {
    if (this.#bytes === 0) return;
    this.#bytes = 0;
    this.#options.budget.remove(this);
  }

  #hold(more: number): void {
    const { budget, holder, cut } = this.#options;
    const isHeld = this.#bytes > 0;
    this.#bytes += more;
    if (!(isHeld ? budget.resize(this, this.#bytes) : budget.add(this, holder, this.#bytes))) cut();
  }
}
