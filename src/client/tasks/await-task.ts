import { toProgress } from "../../peer/in-flight.ts";
import type { JsonObject } from "../../protocol/json.ts";
import { type DetailedTask, hasEnded, readTask } from "../../protocol/model/task.ts";
import { callSafely } from "../problems.ts";
import type { Drive } from "./drive.ts";
import { fetchTask, intervalOf, pause, persist } from "./task-requests.ts";

const forever = { idle: Number.POSITIVE_INFINITY, total: Number.POSITIVE_INFINITY };

/** Waits for the result of a task, where it is fetched by a request that waits; questions come as requests. */
export async function awaitTask(drive: Drive, first: DetailedTask): Promise<JsonObject> {
  const { requests, taskId, told, notifications, signal } = drive;
  const ended = new AbortController();
  const stop = notifications.listen((name, params) => onNotification(drive, name, params));
  if (told.isHeard) void watch(drive, first, AbortSignal.any([signal, ended.signal]));
  try {
    const options = { signal, timeout: forever };
    const result = await persist(drive, () => requests.send("tasks/result", { taskId }, options));
    if (told.isHeard) told.tell(await fetchTask(requests, taskId, { signal }));
    return result;
  } finally {
    stop();
    ended.abort();
  }
}

function onNotification({ taskId, told, options, report }: Drive, name: string, params: JsonObject): void {
  const { callId, onProgress } = options;
  const task = name === "notifications/tasks/status" ? readTask(params) : undefined;
  if (task?.taskId === taskId) told.tell(task);
  if (name !== "notifications/progress" || callId === undefined || params.progressToken !== callId) return;
  const progress = toProgress(params);
  if (progress && onProgress) callSafely(report, () => onProgress(progress));
}

/** Tells how the task is, as often as the server wants to be asked. */
async function watch(
  { requests, taskId, told }: Drive,
  first: DetailedTask,
  signal: AbortSignal,
): Promise<void> {
  try {
    for (let task = first; !hasEnded(task); ) {
      await pause(intervalOf(task), signal);
      task = await fetchTask(requests, taskId, { signal });
      told.tell(task);
    }
  } catch {
    // Its result is waited for anyway, and brings what is wrong with it.
  }
}
