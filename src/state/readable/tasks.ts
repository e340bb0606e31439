import { andThen } from "../../lib/async/maybe-promise.ts";
import type { TaskStore } from "../task-store.ts";
import { UnreadableEntries } from "./unreadable-entries.ts";

type Report = (message: string, cause: unknown) => void;

const known = new WeakMap<TaskStore, TaskStore>();

/** The tasks of a store, where one that can't be read is unknown, and left out of lists. Gives the same object for the same store. */
export function readableTasks(tasks: TaskStore, report: Report): TaskStore {
  const readable = known.get(tasks) ?? createReadable(tasks, report);
  known.set(tasks, readable);
  return readable;
}

function createReadable(tasks: TaskStore, report: Report): TaskStore {
  const message = "A stored task can't be read, and is taken for unknown";
  const unreadable = new UnreadableEntries((cause) => report(message, cause));
  return {
    create: (task, maxOfHolder) => tasks.create(task, maxOfHolder),
    get: (id) => unreadable.skip(id, () => tasks.get(id)),
    list: (lister, limit, after) =>
      andThen(tasks.list(lister, limit, after), (page) => {
        for (const id of page?.unreadable ?? []) unreadable.add(id);
        return page;
      }),
    claim: (queue, leaseMs) => tasks.claim(queue, leaseMs),
    save: (claim, change) => tasks.save(claim, change),
    answer: (id, answers) => tasks.answer(id, answers),
    cancel: (id) => tasks.cancel(id),
    onChange: (listener) => tasks.onChange(listener),
  };
}
