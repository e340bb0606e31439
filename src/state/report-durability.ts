import { StoreUnavailableError } from "../errors/overloaded-error.ts";
import { UsageError } from "../errors.ts";
import type { State } from "./state.ts";

const reported = new WeakSet<State>();

/**
 * Reports, once for each state that is shared, where it promises less than was asked for. Rejects for a state that can't
 * be used, because of a missing package for example; one whose store is away is only reported.
 */
export async function reportDurability(
  state: State,
  report: (message: string, cause: unknown) => void,
): Promise<void> {
  if (!state.isShared || reported.has(state)) return;
  reported.add(state);
  try {
    for (const warning of (await state.durability()).warnings) report(warning, undefined);
  } catch (cause) {
    if (cause instanceof UsageError) {
      reported.delete(state);
      throw cause;
    }
    // Its reason is enough: the store is away, which is no fault of the code that asked.
    const first = cause instanceof StoreUnavailableError ? (cause.cause ?? cause) : cause;
    const reason = first instanceof Error ? first.message || first.name : String(first);
    report(`The store can't be reached, so what its settings promise is not known: ${reason}`, undefined);
  }
}
