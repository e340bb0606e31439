import type { State } from "./state.ts";

const reported = new WeakSet<State>();

/** Reports, once for each state that is shared, where it promises less than was asked for. */
export async function reportDurability(
  state: State,
  report: (message: string, cause: unknown) => void,
): Promise<void> {
  if (!state.isShared || reported.has(state)) return;
  reported.add(state);
  try {
    for (const warning of (await state.durability()).warnings) report(warning, undefined);
  } catch (cause) {
    report("The store could not be asked what its settings promise", cause);
  }
}
