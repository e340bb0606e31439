import type { TaskStore } from "../../state/task-store.ts";
import type { Catalog } from "../catalog.ts";
import type { MethodCall } from "../methods/method-call.ts";
import { toQueueName } from "./task-work.ts";
import { TaskWorker } from "./task-worker.ts";

type ByQueue = Map<string, TaskWorker>;

const workers = new WeakMap<Catalog, WeakMap<TaskStore, ByQueue>>();

/** Has this process work on the tasks of a server, from the first call that is about one, unless it is told not to. */
export function startWorker({ catalog: offer, call }: MethodCall): void {
  const options = offer.settings.tasks;
  if (options.run === false) return;
  const state = offer.storage.stateFor(call.state);
  const known = workers.get(offer) ?? new WeakMap<TaskStore, ByQueue>();
  workers.set(offer, known);
  const byQueue: ByQueue = known.get(state.tasks) ?? new Map();
  known.set(state.tasks, byQueue);
  const queue = toQueueName(offer.settings.info.name, call.path);
  const worker = byQueue.get(queue) ?? new TaskWorker(offer, state, { ...options, queue });
  byQueue.set(queue, worker);
  worker.poll();
}
