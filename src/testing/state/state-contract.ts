import { UsageError } from "../../errors.ts";
import type { MaybePromise } from "../../lib/async/maybe-promise.ts";
import type { State } from "../../state/state.ts";
import { type ContractCase, createKeys, type Promised } from "./contract-case.ts";
import { eventCases } from "./event-cases.ts";
import type { FuzzOptions } from "./fuzz/fast-check.ts";
import { toFuzzCases } from "./fuzz/fuzz-cases.ts";
import { sessionCases } from "./session-cases.ts";
import { taskAskCases } from "./task-ask-cases.ts";
import { taskCases } from "./task-cases.ts";
import { toTaskLimitCase } from "./task-limit-case.ts";
import { taskWorkCases } from "./task-work-cases.ts";
import { counterCases, valueCases } from "./value-cases.ts";
import { toApartCase, toTrimmedCase, wholeCases } from "./whole-cases.ts";

export interface StateContractOptions extends FuzzOptions {
  /** Opens a state of the same store under another prefix. Without it, this is not checked. */
  readonly openApart?: () => MaybePromise<State>;
  /** Opens a state of the same store that keeps about 10 events of each stream. Without it, this is not checked. */
  readonly openTrimmed?: () => MaybePromise<State>;
  /**
   * Opens a state of a store without tasks that keeps 8 of them, and 4 of each holder that have ended; called three
   * times, one after another. Without it, this is not checked.
   */
  readonly openLimited?: () => MaybePromise<State>;
}

/**
 * The promises of a `State`, each as a case with a name and a function that rejects when the promise is broken.
 *
 * ```ts
 * for (const { name, run } of stateContract(() => myState("localhost"))) it(name, run, 60_000);
 * ```
 *
 * `open` is called twice in each case, and the two states must be those of two nodes of one store; the cases close
 * them. The store need not be empty: all keys are new. It keeps what the cases left until that expires, for ten minutes.
 * Some cases draw their steps at random and need `fast-check`; their errors name the seed.
 */
export function stateContract(
  open: () => MaybePromise<State>,
  { openApart, openTrimmed, openLimited, ...fuzz }: StateContractOptions = {},
): readonly ContractCase[] {
  if (typeof open !== "function") throw new UsageError("stateContract: give a function that opens a state.");
  const promised = [
    ...sessionCases,
    ...eventCases,
    ...valueCases,
    ...counterCases,
    ...taskCases,
    ...taskWorkCases,
    ...taskAskCases,
    ...wholeCases,
    ...(openApart ? [toApartCase(openApart)] : []),
    ...(openTrimmed ? [toTrimmedCase(openTrimmed)] : []),
    ...(openLimited ? [toTaskLimitCase(openLimited)] : []),
    ...toFuzzCases(fuzz),
  ];
  return promised.map((one) => ({ name: one.name, run: () => runCase(one, open) }));
}

async function runCase({ run }: Promised, open: () => MaybePromise<State>): Promise<void> {
  const nodes: [State, State] = [await open(), await open()];
  try {
    await run({ nodes, key: createKeys() });
  } finally {
    for (const node of nodes) await node.close();
  }
}
