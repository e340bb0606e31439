import type { JsonObject } from "../../../lib/json.ts";
import { invalidParams } from "../../../protocol/wire-error.ts";
import type { StoredTask } from "../../../state/task-store.ts";
import type { MethodCall } from "../../methods/method-call.ts";
import { assertTasksSupported, findOwnTask, taskStoreOf, toDetailedTask } from "../find-task.ts";
import { followTask } from "../follow-task.ts";
import { startWorker } from "./task-worker.ts";

type Notify = (method: string, params: JsonObject) => Promise<void>;

// Each task is followed for as long as the subscription lasts.
const maxTasks = 100;

/** The ids of the tasks that belong to the caller. */
export async function selectOwnTasks(
  request: MethodCall,
  ids: readonly string[],
): Promise<readonly string[]> {
  assertTasksSupported(request);
  const unique = [...new Set(ids)];
  if (unique.length > maxTasks) throw invalidParams(`A subscription may name at most ${maxTasks} tasks.`);
  const found = await Promise.all(unique.map((id) => findOwnTask(request, id)));
  startWorker(request);
  return unique.filter((_, at) => found[at] !== undefined);
}

/**
 * Notifies of tasks now and after each change. A slow reader gets only the latest state of each.
 *
 * ext-tasks/tasks#task-status-notifications (draft)
 */
export class TaskNotifier {
  readonly #request: MethodCall;
  readonly #notify: Notify;
  readonly #waiting = new Map<string, StoredTask>();
  readonly #stop = new AbortController();
  #sending: Promise<void> | undefined;

  constructor(request: MethodCall, notify: Notify) {
    this.#request = request;
    this.#notify = notify;
  }

  follow(ids: readonly string[]): void {
    const tasks = taskStoreOf(this.#request);
    for (const id of ids) {
      followTask(tasks, id, this.#stop.signal, (task) => this.#enqueue(task)).catch((cause: unknown) => {
        if (this.#stop.signal.aborted) return;
        this.#request.catalog.settings.log({ message: `Task ${id} can't be followed`, cause });
      });
    }
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#sending;
  }

  #enqueue(task: StoredTask): void {
    this.#waiting.set(task.id, task);
    this.#sending ??= this.#sendAll();
  }

  async #sendAll(): Promise<void> {
    try {
      for (const [id, task] of this.#waiting) {
        this.#waiting.delete(id);
        await this.#notify("notifications/tasks", toDetailedTask(task));
      }
    } catch {
      // A reader that is gone ends the call by its signal.
      this.#waiting.clear();
    } finally {
      this.#sending = undefined;
    }
  }
}
