import { invalidParams } from "../../errors.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { toDetailedTask } from "../tasks/detailed-task.ts";
import { assertTasksSupported, findTask, taskStoreOf } from "../tasks/find-task.ts";
import { startWorker } from "../tasks/start-worker.ts";
import { listerOf } from "../tasks/task-work.ts";
import type { MethodCall } from "./method-call.ts";

export { awaitResult } from "../tasks/wait-for-result.ts";

export async function getTask(asked: MethodCall): Promise<JsonObject> {
  assertTasksSupported(asked);
  const task = await findTask(asked);
  startWorker(asked);
  return toDetailedTask(task);
}

/** Takes answers to what a task asks. Those to anything else are ignored, as the protocol wants it. */
export async function updateTask(asked: MethodCall): Promise<JsonObject> {
  assertTasksSupported(asked);
  const { id } = await findTask(asked);
  const given = Object.entries(asked.call.params.inputResponses as JsonObject);
  const odd = given.find(([, answer]) => !isObject(answer));
  if (odd) throw invalidParams(`inputResponses.${odd[0]} must be an object.`);
  await taskStoreOf(asked).answer(id, Object.fromEntries(given));
  startWorker(asked);
  return {};
}

export async function cancelTask(asked: MethodCall): Promise<JsonObject> {
  assertTasksSupported(asked);
  const { id } = await findTask(asked);
  const isCancelled = await taskStoreOf(asked).cancel(id);
  const task = await findTask(asked);
  if (!isCancelled && asked.call.revision.tasks === "by-sender")
    throw invalidParams(`The task can't be cancelled: it is ${task.status}.`);
  return toDetailedTask(task);
}

export async function listTasks(asked: MethodCall): Promise<JsonObject> {
  assertTasksSupported(asked);
  const { catalog: offer, call } = asked;
  const { cursor } = call.params;
  const after = typeof cursor === "string" ? cursor : undefined;
  const page = await taskStoreOf(asked).list(listerOf(call), offer.settings.pageSize, after);
  if (page === undefined) throw invalidParams("Unknown cursor; start again without one.");
  return {
    tasks: page.tasks.map(toDetailedTask),
    ...(page.next !== undefined && { nextCursor: page.next }),
  };
}
