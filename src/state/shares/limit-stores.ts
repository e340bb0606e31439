import type { CounterStore, ValueStore } from "../state.ts";
import type { TaskStore } from "../task-store.ts";
import { withTaskShares } from "./task-shares.ts";
import { withValueShares } from "./value-shares.ts";

interface Stores {
  readonly values: ValueStore;
  readonly tasks: TaskStore;
}

/** The stores that keep what callers send, with limits for each caller and for all of them. */
export function limitStores(
  { values, tasks }: Stores,
  counters: CounterStore,
  maxTaskChars: number | undefined,
): Stores {
  return {
    values: withValueShares(values, counters),
    tasks: withTaskShares(tasks, counters, maxTaskChars),
  };
}
