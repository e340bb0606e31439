import { type HolderSource, toHolder } from "../../../../contract/caller/holder.ts";
import { FairBudget } from "../../../../lib/bounded/fair-budget.ts";
import { decodeUtf8 } from "../../../../lib/encoding/utf8.ts";
import type { WaitDeadline } from "../shared-deadline.ts";

export interface BodyLimits {
  readonly maxBodyBytes: number;
  readonly bodyMs: number;
  /** Expires after `bodyMs`. */
  readonly bodyDeadline: WaitDeadline;
  /** The room for input that has begun to arrive. */
  readonly unfinished: FairBudget<UnfinishedInput>;
}

/** The beginning of a body or a message, which waits for its rest. */
export interface UnfinishedInput {
  /** Refuses it, to make room for others. */
  giveUp(): void;
}

const maxUnfinished = 10_000;

export function createUnfinishedBudget(bytes: number): FairBudget<UnfinishedInput> {
  return new FairBudget({ count: maxUnfinished, bytes, evict: (input) => input.giveUp() });
}

/** The share that one body takes of the room for unfinished input; nothing until a part of it has to wait. */
export class UnfinishedBody implements UnfinishedInput {
  readonly #budget: FairBudget<UnfinishedInput>;
  readonly #caller: HolderSource;
  readonly giveUp: () => void;
  #isHeld = false;

  constructor({ unfinished }: BodyLimits, caller: HolderSource, giveUp: () => void) {
    this.#budget = unfinished;
    this.#caller = caller;
    this.giveUp = giveUp;
  }

  /** Takes room for all bytes that have arrived; false when there is none. */
  hold(bytes: number): boolean {
    if (this.#isHeld) return this.#budget.resize(this, bytes);
    this.#isHeld = true;
    return this.#budget.add(this, toHolder(this.#caller), bytes);
  }

  release(): void {
    if (this.#isHeld) this.#budget.remove(this);
  }
}

/** The text of a body, or the error response to one that could not be read. */
export type BodyText =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly status: 400 | 408 | 413 | 503; readonly problem: string };

export const bodyLost: BodyText = { ok: false, status: 400, problem: "The body did not arrive whole." };

export const bodyRefused: BodyText = {
  ok: false,
  status: 503,
  problem: "The server holds too much unfinished input; try again later.",
};

export function bodyTooLarge({ maxBodyBytes }: BodyLimits): BodyText {
  return {
    ok: false,
    status: 413,
    problem: `The body is larger than ${maxBodyBytes} bytes; raise maxBodyBytes if it may be.`,
  };
}

export function bodyTooSlow({ bodyMs }: BodyLimits): BodyText {
  return { ok: false, status: 408, problem: `The body took longer than ${bodyMs} ms to arrive.` };
}

export function toBodyText(bytes: Uint8Array): BodyText {
  const text = decodeUtf8(bytes);
  if (text === undefined) return { ok: false, status: 400, problem: "The body is not valid UTF-8." };
  return { ok: true, text };
}
