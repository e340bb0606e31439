import type { TaskStore } from "../../state/task-store.ts";
import type { Catalog } from "../catalog.ts";
import type { MethodCall } from "../methods/method-call.ts";
import { toQueueName } from "./task-work.ts";
import { TaskWorker } from "./task-worker.ts";

type ByQueue = Map<string, TaskWorker>;

const workers = new WeakMap<Catalog, WeakMap<TaskStore, ByQueue>>();

/** Has this process work on the tasks of a server, from the first call that is about one, unless it is told not to. */
export function startWorker({ catalog, call }: MethodCall): void {
  const options = catalog.settings.tasks;
  if (options.run === false) return;
  const state = catalog.storage.stateFor(call.state);
  const known = workers.get(catalog) ?? new WeakMap<TaskStore, ByQueue>();
  workers.set(catalog, known);
  const byQueue: ByQueue = known.get(state.tasks) ?? new Map();
  known.set(state.tasks, byQueue);
  const queue = toQueueName(catalog.settings.info.name, call.path);
  const worker = byQueue.get(queue) ?? new TaskWorker(catalog, state, { ...options, queue });
  byQueue.set(queue, worker);
  worker.poll();
}
