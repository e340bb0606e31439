import { runLater } from "../../lib/timers.ts";
import { isTerminal } from "../../protocol/model/task.ts";
import type { StoredTask, TaskStore } from "../../state/task-store.ts";

/** How often to look, where nobody tells. */
const lookMs = 1000;

/**
 * Tells of a task now and after each change, until it has ended; gives it as it ended,
 * undefined when it is unknown by then. Rejects when the signal is aborted.
 */
export async function followTask(
  tasks: TaskStore,
  id: string,
  signal: AbortSignal,
  tell: (task: StoredTask) => void,
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
      const wasTold = hasChanged;
      hasChanged = false;
      const task = await tasks.get(id);
      if (task && (wasTold || task.updatedAt !== last)) tell(task);
      last = task?.updatedAt;
      if (task === undefined || isTerminal(task)) return task;
      if (hasChanged || signal.aborted) continue;
      await new Promise<void>((resolve) => {
        const timer = runLater(resolve, lookMs);
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
