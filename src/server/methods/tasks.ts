import { toOwner } from "../../contract/caller/principal.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { invalidParams, methodNotFound } from "../../protocol/wire-error.ts";
import { tasksOf } from "../catalog/mounts.ts";
import { assertTasksSupported, findTask, taskStoreOf, toDetailedTask } from "../tasks/find-task.ts";
import { startWorker } from "../tasks/worker/task-worker.ts";
import type { MethodCall } from "./method-call.ts";

type TaskMethod = (request: MethodCall) => Promise<JsonObject>;

/** Answers for a task that runs behind a mount there, and for all others here. */
function whereItRuns(answer: TaskMethod): TaskMethod {
  return async (request) => {
    assertTasksSupported(request);
    const { catalog, call } = request;
    const elsewhere = tasksOf(catalog.mounts);
    return elsewhere?.has(call) ? elsewhere.request(call) : answer(request);
  };
}

/** Waits for the result of a task. Loaded with the run of the first task: its creation is answered sooner without it. */
export const getTaskResult: TaskMethod = whereItRuns(async (request) => {
  const { waitForResult } = await import("../tasks/wait-for-result.ts");
  return waitForResult(request);
});

export const getTask: TaskMethod = whereItRuns(async (request) => {
  const task = await findTask(request);
  startWorker(request);
  return toDetailedTask(task);
});

/**
 * Stores answers to the questions of a task. Answers to unknown questions are ignored.
 *
 * ext-tasks/tasks#task-update-requests (draft)
 */
export const updateTask: TaskMethod = whereItRuns(async (request) => {
  const { id } = await findTask(request);
  const given = Object.entries(request.call.params.inputResponses as JsonObject);
  const odd = given.find(([, answer]) => !isObject(answer));
  if (odd) throw invalidParams(`inputResponses.${odd[0]} must be an object.`);
  await taskStoreOf(request).answer(id, Object.fromEntries(given));
  startWorker(request);
  return {};
});

export const cancelTask: TaskMethod = whereItRuns(async (request) => {
  const { id } = await findTask(request);
  const isCancelled = await taskStoreOf(request).cancel(id);
  const task = await findTask(request);
  if (!isCancelled && request.call.revision.tasks === "by-sender")
    throw invalidParams(`The task can't be cancelled: it is ${task.status}.`);
  return toDetailedTask(task);
});

/**
 * The tasks of an identified caller. To others each task is known by its id alone, so that there is no list.
 *
 * basic/utilities/tasks#task-isolation-and-access-control (2025-11-25)
 */
export async function listTasks(request: MethodCall): Promise<JsonObject> {
  assertTasksSupported(request);
  const { catalog, call } = request;
  if (call.principal === undefined) throw methodNotFound(call.method);
  const { cursor } = call.params;
  const after = typeof cursor === "string" ? cursor : undefined;
  const page = await taskStoreOf(request).list(toOwner(call.principal), catalog.settings.pageSize, after);
  if (page === undefined) throw invalidParams("Unknown cursor; start again without one.");
  // Those behind mounts are few, and come before the first page.
  const elsewhere = after === undefined ? (tasksOf(catalog.mounts)?.list(call) ?? []) : [];
  return {
    tasks: [...elsewhere, ...page.tasks.map(toDetailedTask)],
    ...(page.next !== undefined && { nextCursor: page.next }),
  };
}
