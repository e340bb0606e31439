import type { JsonObject } from "../../lib/json.ts";
import type { DetailedTask } from "../../protocol/model/task.ts";
import type { ErrorObject } from "../../protocol/wire-error.ts";
import type { StoredTask } from "../../state/task-store.ts";

/** A task as its owner sees it, in the neutral model. */
export function toDetailedTask(task: StoredTask): DetailedTask & JsonObject {
  const { status, statusMessage, asks, result, error } = task;
  return {
    taskId: task.id,
    status,
    ...(statusMessage !== undefined && { statusMessage }),
    createdAt: new Date(task.createdAt).toISOString(),
    lastUpdatedAt: new Date(task.updatedAt).toISOString(),
    ttlMs: task.ttlMs,
    pollIntervalMs: task.pollIntervalMs,
    ...(status === "input_required" && { inputRequests: asks }),
    ...(result && { result }),
    ...(error && { error: error as unknown as ErrorObject }),
  };
}
