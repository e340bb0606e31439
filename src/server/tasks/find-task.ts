import { toOwner } from "../../peer/owner.ts";
import { CapabilityError, invalidParams, methodNotFound } from "../../protocol/errors.ts";
import { hasCapability } from "../../protocol/model/identity.ts";
import { tasksCapability } from "../../protocol/model/task.ts";
import type { StoredTask, TaskStore } from "../../state/tasks.ts";
import { lackingCapability } from "../failure.ts";
import type { Asked } from "../handlers/handler.ts";

export function tasksOf({ offer, call }: Asked): TaskStore {
  return offer.keeping.stateFor(call.state).tasks;
}

/** Refuses what only those may ask who know tasks, of servers that have them. */
export function assertTasks({ offer, call }: Asked): void {
  if (!hasCapability(offer.capabilities, tasksCapability)) throw methodNotFound(call.method);
  if (call.revision.tasks !== "by-receiver" || hasCapability(call.client.capabilities, tasksCapability))
    return;
  throw lackingCapability(new CapabilityError(tasksCapability, "client", call.method), call);
}

/** The task that a call names. Another's is as unknown as one that never was, or is no more. */
export async function findTask(asked: Asked): Promise<StoredTask> {
  const task = await findOwn(asked, asked.call.params.taskId as string);
  if (task) return task;
  throw invalidParams("Task not found; it may have expired.");
}

export async function findOwn(asked: Asked, id: string): Promise<StoredTask | undefined> {
  const task = await tasksOf(asked).get(id);
  return task?.owner === toOwner(asked.call.principal) ? task : undefined;
}
