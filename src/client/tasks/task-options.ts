import type { Task } from "../../protocol/model/task.ts";
import type { CallOptions } from "../requests.ts";

/** Makes a call a task; `ttlMs` is the time for which the server is asked to keep it. */
export type TaskAugmentation = boolean | { readonly ttlMs?: number | undefined };

export interface TaskCallOptions extends CallOptions {
  /**
   * Called with a task when it is created and whenever it has changed.
   *
   * With its `taskId`, a client that was restarted can go on with it: `client.tasks.resume(taskId)`.
   */
  readonly onTask?: ((task: Task) => unknown) | undefined;
}
