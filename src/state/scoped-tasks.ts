import { andThen } from "../lib/async/maybe-promise.ts";
import type { ClaimedTask, StoredTask, TaskStore } from "./task-store.ts";

/**
 * Tasks whose owners, holders and lists belong to one server.
 *
 * Ids and queues are shared: ids are random, and a worker of a mounted server does not know the server that mounts it.
 * A task of another server is given with an owner that no caller of this one has.
 */
export function scopeTasks(tasks: TaskStore, prefix: string): TaskStore {
  const fromStored = <Task extends StoredTask | undefined>(task: Task): Task =>
    task?.owner.startsWith(prefix) ? unscoped(task, prefix) : task;
  return {
    create: (task, maxOfHolder) => {
      const { owner, holder = owner, lister } = task;
      const scoped = { ...task, owner: prefix + owner, holder: prefix + holder, lister: prefix + lister };
      return andThen(tasks.create(scoped, maxOfHolder), fromStored);
    },
    get: (id) => andThen(tasks.get(id), fromStored),
    list: (lister, limit, after) =>
      andThen(
        tasks.list(prefix + lister, limit, after),
        (page) => page && { ...page, tasks: page.tasks.map(fromStored) },
      ),
    claim: (queue, leaseMs) =>
      andThen(
        tasks.claim(queue, leaseMs),
        (claimed): ClaimedTask | undefined => claimed && { ...claimed, task: fromStored(claimed.task) },
      ),
    save: (claim, change) => tasks.save(claim, change),
    answer: (id, answers) => tasks.answer(id, answers),
    cancel: (id) => tasks.cancel(id),
    onChange: (listener) => tasks.onChange(listener),
  };
}

function unscoped<Task extends StoredTask>(task: Task, prefix: string): Task {
  const { owner, holder, lister } = task;
  const cut = (text: string) => (text.startsWith(prefix) ? text.slice(prefix.length) : text);
  return {
    ...task,
    owner: cut(owner),
    lister: cut(lister),
    ...(holder !== undefined && { holder: cut(holder) }),
  };
}
