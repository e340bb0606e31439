import { runLater } from "../../lib/async/timers.ts";
import { isTerminal } from "../../protocol/model/task.ts";
import type { StoredTask, TaskStore } from "../../state/task-store.ts";

/** The interval for stores that can't notify of changes. */
const pollMs = 1000;

/**
 * Reports a task now and after each change until it is terminal, and returns it; undefined if it is no
 * longer stored. Rejects when the signal is aborted.
 */
export async function followTask(
  tasks: TaskStore,
  id: string,
  signal: AbortSignal,
  onChange: (task: StoredTask) => void,
): Promise<StoredTask | undefined> {
  let hasChanged = true;
  let wake = () => {};
  const stop = tasks.onChange((changed) => {
    if (changed !== id) return;
    hasChanged = true;
    wake();
  });
  const onAbort = () => wake();
  signal.addEventListener("abort", onAbort);
  try {
    for (let last: number | undefined; ; ) {
      signal.throwIfAborted();
      const wasNotified = hasChanged;
      hasChanged = false;
      const task = await tasks.get(id);
      if (task && (wasNotified || task.updatedAt !== last)) onChange(task);
      last = task?.updatedAt;
      if (task === undefined || isTerminal(task)) return task;
      if (hasChanged || signal.aborted) continue;
      await new Promise<void>((resolve) => {
        const timer = runLater(resolve, pollMs);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  } finally {
    stop();
    signal.removeEventListener("abort", onAbort);
  }
}
