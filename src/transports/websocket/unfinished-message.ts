import type { SharedBudget } from "../../lib/shared-budget.ts";

/** The room for input that has begun to arrive; what is in it can be given up. */
export type UnfinishedBudget = SharedBudget<{ giveUp(): void }>;

export interface UnfinishedMessageOptions {
  readonly budget: UnfinishedBudget;
  readonly holder: string;
  /** The time that a message may take to arrive. */
  readonly messageMs: number;
  /** Cuts the connection. */
  readonly cut: () => void;
}

/** Bytes that are not counted: most messages are as small, and come in one piece. */
const uncountedBytes = 4 * 1024;
/** The head of a frame without payload, with its mask. */
const controlHeadBytes = 6;

/** The bytes of one connection that wait for the end of their message, which the package `ws` keeps. */
export class UnfinishedMessage {
  readonly #options: UnfinishedMessageOptions;
  readonly giveUp: () => void;
  #bytes = 0;
  #startedAt = 0;
  #isHeld = false;

  constructor(options: UnfinishedMessageOptions) {
    this.#options = options;
    this.giveUp = options.cut;
  }

  /** True when a message has begun, and should have ended by now. */
  get isOverdue(): boolean {
    return this.#bytes > 0 && Date.now() - this.#startedAt > this.#options.messageMs;
  }

  onBytes(count: number): void {
    if (this.#bytes === 0) this.restart();
    this.#bytes += count;
    if (this.#bytes > uncountedBytes) this.#hold();
  }

  /** Takes note of a ping or a pong, which may come inside a message. */
  onControlFrame(payloadBytes: number): void {
    this.#bytes = Math.max(0, this.#bytes - controlHeadBytes - payloadBytes);
  }

  /** Takes note of the end of a message. The beginning of the next may have come with it, and is not counted. */
  onMessage(): void {
    this.#bytes = 0;
    if (this.#isHeld) this.end();
  }

  /** Begins the time anew: nothing was read for a while. */
  restart(): void {
    this.#startedAt = Date.now();
  }

  end(): void {
    this.#isHeld = false;
    this.#options.budget.remove(this);
  }

  #hold(): void {
    const { budget, holder, cut } = this.#options;
    const hasRoom = this.#isHeld ? budget.resize(this, this.#bytes) : budget.add(this, holder, this.#bytes);
    this.#isHeld = true;
    if (!hasRoom) cut();
  }
}
