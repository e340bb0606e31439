import type { TaskStore } from "../../state/tasks.ts";
import type { Asked } from "../handlers/handler.ts";
import type { Offer } from "../offer.ts";
import { queueOf } from "./task-work.ts";
import { TaskWorker } from "./task-worker.ts";

type ByQueue = Map<string, TaskWorker>;

const workers = new WeakMap<Offer, WeakMap<TaskStore, ByQueue>>();

/** Has this process work on the tasks of a server, from the first call that is about one, unless it is told not to. */
export function startWorker({ offer, call }: Asked): void {
  const options = offer.settings.tasks;
  if (options.run === false) return;
  const state = offer.keeping.stateFor(call.state);
  const known = workers.get(offer) ?? new WeakMap<TaskStore, ByQueue>();
  workers.set(offer, known);
  const byQueue: ByQueue = known.get(state.tasks) ?? new Map();
  known.set(state.tasks, byQueue);
  const queue = queueOf(offer.settings.info.name, call.path);
  const worker = byQueue.get(queue) ?? new TaskWorker(offer, state, { ...options, queue });
  byQueue.set(queue, worker);
  worker.look();
}
