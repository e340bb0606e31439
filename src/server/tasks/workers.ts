import type { TaskStore } from "../../state/tasks.ts";
import type { Asked } from "../handlers/handler.ts";
import type { Offer } from "../offer.ts";
import { TaskWorker } from "./task-worker.ts";

const workers = new WeakMap<Offer, WeakMap<TaskStore, TaskWorker>>();

/** Has this process work on the tasks of a server, from the first call that is about one, unless it is told not to. */
export function startWorker({ offer, call }: Asked): void {
  const options = offer.settings.tasks;
  if (options.run === false) return;
  const state = offer.keeping.stateFor(call.state);
  const known = workers.get(offer) ?? new WeakMap<TaskStore, TaskWorker>();
  workers.set(offer, known);
  const worker = known.get(state.tasks) ?? new TaskWorker(offer, state, options);
  known.set(state.tasks, worker);
  worker.look();
}
