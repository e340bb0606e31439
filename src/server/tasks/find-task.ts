import { toOwner } from "../../contract/caller/principal.ts";
import { CapabilityError, type ErrorObject } from "../../errors.ts";
import type { JsonObject } from "../../lib/json.ts";
import { hasCapability } from "../../protocol/model/identity.ts";
import { type DetailedTask, tasksCapability } from "../../protocol/model/task.ts";
import { invalidParams, methodNotFound } from "../../protocol/wire-error.ts";
import { readableTasks } from "../../state/readable/tasks.ts";
import type { StoredTask, TaskStore } from "../../state/task-store.ts";
import { missingCapability } from "../errors/capability-error.ts";
import type { MethodCall } from "../methods/method-call.ts";
import { stateFor } from "../state-for.ts";

/** Longer than every id of ours. A store need not take one that is longer than 1 KiB, and may fail over it. */
const maxIdLength = 256;

export function taskStoreOf({ catalog, call }: MethodCall): TaskStore {
  const { settings } = catalog;
  return readableTasks(stateFor(settings, call.state).tasks, (message, cause) =>
    settings.log({ message, cause }),
  );
}

/**
 * Refuses a task method unless both the server and the client support tasks.
 *
 * ext-tasks/tasks#protocol-errors (draft)
 */
export function assertTasksSupported({ catalog, call }: MethodCall): void {
  if (!hasCapability(catalog.capabilities, tasksCapability)) throw methodNotFound(call.method);
  if (call.revision.tasks !== "by-receiver" || hasCapability(call.client.capabilities, tasksCapability))
    return;
  throw missingCapability(new CapabilityError(tasksCapability, "client", call.method), call);
}

/**
 * The task that a call names. The task of another caller is answered like one that does not exist.
 *
 * basic/utilities/tasks#task-isolation-and-access-control (2025-11-25)
 */
export async function findTask(request: MethodCall): Promise<StoredTask> {
  const task = await findOwnTask(request, request.call.params.taskId as string);
  if (task) return task;
  throw invalidParams("Task not found; it may have expired.");
}

export async function findOwnTask(request: MethodCall, id: string): Promise<StoredTask | undefined> {
  if (id.length > maxIdLength) return undefined;
  const task = await taskStoreOf(request).get(id);
  return task?.owner === toOwner(request.call.principal) ? task : undefined;
}

/** The task as its owner receives it, in the neutral model. */
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
