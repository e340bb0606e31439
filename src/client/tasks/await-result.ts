import { toProgress } from "../../contract/channel.ts";
import type { JsonObject } from "../../lib/json.ts";
import { sleep } from "../../lib/sleep.ts";

import { type DetailedTask, isTerminal, readTask } from "../../protocol/model/task.ts";
import { callSafely } from "../report.ts";
import { fetchTask, pollIntervalOf, retryTransient } from "./task-requests.ts";
import type { TaskWait } from "./task-wait.ts";

const forever = { idle: Number.POSITIVE_INFINITY, total: Number.POSITIVE_INFINITY };

/** Waits for the result of a task, where it is fetched by a request that waits; questions come as requests. */
export async function awaitTaskResult(wait: TaskWait, first: DetailedTask): Promise<JsonObject> {
  const { requests, taskId, reporter, notifications, signal } = wait;
  const ended = new AbortController();
  const stop = notifications.listen((name, params) => onNotification(wait, name, params));
  if (reporter.hasListener) void watch(wait, first, AbortSignal.any([signal, ended.signal]));
  try {
    const options = { signal, timeout: forever };
    const result = await retryTransient(wait, () => requests.send("tasks/result", { taskId }, options));
    if (reporter.hasListener) reporter.report(await fetchTask(requests, taskId, { signal }));
    return result;
  } finally {
    stop();
    ended.abort();
  }
}

function onNotification(
  { taskId, reporter, options, report }: TaskWait,
  name: string,
  params: JsonObject,
): void {
  const { callId, onProgress } = options;
  const task = name === "notifications/tasks/status" ? readTask(params) : undefined;
  if (task?.taskId === taskId) reporter.report(task);
  if (name !== "notifications/progress" || callId === undefined || params.progressToken !== callId) return;
  const progress = toProgress(params);
  if (progress && onProgress) callSafely(report, () => onProgress(progress));
}

/** Tells how the task is, as often as the server wants to be asked. */
async function watch(
  { requests, taskId, reporter }: TaskWait,
  first: DetailedTask,
  signal: AbortSignal,
): Promise<void> {
  try {
    for (let task = first; !isTerminal(task); ) {
      await sleep(pollIntervalOf(task), signal);
      task = await fetchTask(requests, taskId, { signal });
      reporter.report(task);
    }
  } catch {
    // Its result is waited for anyway, and brings what is wrong with it.
  }
}
