import type { Task } from "../../protocol/model/task.ts";
import type { CallOptions } from "../requests.ts";

/** That a call become a task, and how long the server is to keep it. */
export type TaskAugmentation = boolean | { readonly ttlMs?: number | undefined };

export interface TaskCallOptions extends CallOptions {
  /**
   * Told of a task when it is created and whenever it has changed.
   *
   * Whoever keeps its `taskId` can go on with it after a restart: `client.tasks.resume(taskId)`.
   */
  readonly onTask?: ((task: Task) => unknown) | undefined;
}
