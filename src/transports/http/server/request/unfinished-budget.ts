import { FairBudget } from "../../../../lib/bounded/fair-budget.ts";

/** The beginning of a body or a message, which waits for its rest. */
export interface UnfinishedInput {
  /** Refuses it, to make room for others. */
  giveUp(): void;
}

/** An answer, or a part of one, that waits for its reader. */
export interface UnreadOutput {
  /** Cuts the reader off, to make room for others. */
  giveUp(): void;
}

const maxUnfinished = 10_000;

/** The room for input that has begun to arrive, from all callers. */
export function createUnfinishedBudget(bytes: number): FairBudget<UnfinishedInput> {
  return new FairBudget({ count: maxUnfinished, bytes, evict: (input) => input.giveUp() });
}

/** The room for output that waits for its readers, of all callers. */
export function createUnreadBudget(bytes: number): FairBudget<UnreadOutput> {
  return new FairBudget({ count: maxUnfinished, bytes, evict: (output) => output.giveUp() });
}
