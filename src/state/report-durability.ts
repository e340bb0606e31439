import { StoreUnavailableError } from "../errors/overloaded-error.ts";
import { UsageError } from "../errors.ts";
import type { State } from "./state.ts";

type Report = (message: string, cause: unknown) => void;

/** The states that were asked. All that open one at once wait for the same answer. */
const asked = new WeakMap<State, Promise<void>>();

/**
 * Reports, once for each state that is shared, where it promises less than was asked for. Rejects for a state that can't
 * be used, because of a missing package for example; one whose store is away is only reported.
 */
export async function reportDurability(state: State, report: Report): Promise<void> {
  if (!state.isShared) return;
  const answer = asked.get(state) ?? ask(state, report);
  asked.set(state, answer);
  try {
    await answer;
  } catch (cause) {
    // What is missing may be there the next time.
    asked.delete(state);
    throw cause;
  }
}

async function ask(state: State, report: Report): Promise<void> {
  try {
    for (const warning of (await state.durability()).warnings) report(warning, undefined);
  } catch (cause) {
    if (cause instanceof UsageError) throw cause;
    // Its reason is enough: the store is away, which is no fault of the code that asked.
    const first = cause instanceof StoreUnavailableError ? (cause.cause ?? cause) : cause;
    const reason = first instanceof Error ? first.message || first.name : String(first);
    report(`The store can't be reached, so what its settings promise is not known: ${reason}`, undefined);
  }
}
