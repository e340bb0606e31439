import { invalidParams } from "../../protocol/errors.ts";
import { isObject, type JsonObject } from "../../protocol/json.ts";
import { describeTask } from "../tasks/describe-task.ts";
import { assertTasks, findTask, tasksOf } from "../tasks/find-task.ts";
import { listerOf } from "../tasks/task-work.ts";
import { startWorker } from "../tasks/workers.ts";
import type { Asked } from "./handler.ts";

export { awaitResult } from "../tasks/await-result.ts";

export async function getTask(asked: Asked): Promise<JsonObject> {
  assertTasks(asked);
  const task = await findTask(asked);
  startWorker(asked);
  return describeTask(task);
}

/** Takes answers to what a task asks. Those to anything else are ignored, as the protocol wants it. */
export async function updateTask(asked: Asked): Promise<JsonObject> {
  assertTasks(asked);
  const { id } = await findTask(asked);
  const given = Object.entries(asked.call.params.inputResponses as JsonObject);
  const odd = given.find(([, answer]) => !isObject(answer));
  if (odd) throw invalidParams(`inputResponses.${odd[0]} must be an object.`);
  await tasksOf(asked).answer(id, Object.fromEntries(given));
  startWorker(asked);
  return {};
}

export async function cancelTask(asked: Asked): Promise<JsonObject> {
  assertTasks(asked);
  const { id } = await findTask(asked);
  const isCancelled = await tasksOf(asked).cancel(id);
  const task = await findTask(asked);
  if (!isCancelled && asked.call.revision.tasks === "by-sender")
    throw invalidParams(`The task can't be cancelled: it is ${task.status}.`);
  return describeTask(task);
}

export async function listTasks(asked: Asked): Promise<JsonObject> {
  assertTasks(asked);
  const { offer, call } = asked;
  const { cursor } = call.params;
  const after = typeof cursor === "string" ? cursor : undefined;
  const page = await tasksOf(asked).list(listerOf(call), offer.settings.pageSize, after);
  if (page === undefined) throw invalidParams("Unknown cursor; start again without one.");
  return {
    tasks: page.tasks.map(describeTask),
    ...(page.next !== undefined && { nextCursor: page.next }),
  };
}
