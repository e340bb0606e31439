import { toProgress } from "../../contract/channel.ts";
import { sleep } from "../../lib/async/sleep.ts";
import type { JsonObject } from "../../lib/json.ts";

import { type DetailedTask, isTerminal, readTask } from "../../protocol/model/task.ts";
import { callSafely } from "../report.ts";
import { fetchTask, pollIntervalOf, retryTransient } from "./task-requests.ts";
import type { TaskWait } from "./task-wait.ts";

const noTimeout = { idle: Number.POSITIVE_INFINITY, total: Number.POSITIVE_INFINITY };

/**
 * Waits for the result of a task by `tasks/result`, which blocks; questions come as requests.
 *
 * basic/utilities/tasks (2025-11-25)
 */
export async function awaitTaskResult(wait: TaskWait, first: DetailedTask): Promise<JsonObject> {
  const { requests, taskId, reporter, notifications, signal } = wait;
  const ended = new AbortController();
  const stop = notifications.listen((name, params) => onNotification(wait, name, params));
  if (reporter.hasListener) void reportStatus(wait, first, AbortSignal.any([signal, ended.signal]));
  try {
    const options = { signal, timeout: noTimeout };
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

/** Reports the status of the task to the host, polling as often as the server suggests. */
async function reportStatus(
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
    // The request for the result is still open and fails with the same error.
  }
}
