import { toCancelled } from "../../contract/cancelled-error.ts";
import { toProgress } from "../../contract/channel.ts";
import { Deadline } from "../../contract/deadline.ts";
import { ConnectionClosedError } from "../../errors.ts";
import { sleep } from "../../lib/async/sleep.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { RequestId } from "../../protocol/message.ts";
import { hasCapability } from "../../protocol/model/identity.ts";
import { readTask } from "../../protocol/model/read-task.ts";
import { type DetailedTask, isTerminal } from "../../protocol/model/task.ts";
import { callSafely, type Report } from "../report.ts";
import { pollTask, type TaskPollParts } from "./poll-task.ts";
import type { TaskCallOptions } from "./task-options.ts";
import { TaskReporter } from "./task-reporter.ts";
import { fetchTask, pollIntervalOf, retryTransient } from "./task-requests.ts";

export interface TaskWaitParts
  extends Pick<TaskPollParts, "requests" | "rounds" | "notifications" | "subscriptions"> {
  readonly report: Report;
  /** Settles when the connection has closed. */
  readonly closed: Promise<unknown>;
  /** The requests that cancel tasks and have no response yet. */
  readonly cancelling: Set<Promise<unknown>>;
}

export interface TaskWaitOptions extends TaskCallOptions {
  /** The id of the request that became the task; it is the token of the task's progress. */
  readonly callId?: RequestId | undefined;
  /** Called with the id of each request that waits for the result. */
  readonly onId?: ((id: RequestId) => void) | undefined;
  /** Lets the task go on when it is not waited for any more. Default: it is cancelled. */
  readonly continuesUnattended?: boolean | undefined;
}

/** One task that is waited for. */
interface TaskWait extends TaskWaitParts, TaskPollParts {
  readonly options: TaskWaitOptions;
}

/** Waits for a task to end, answers its questions meanwhile, and cancels it when the caller gives up. */
export async function waitForTask(
  parts: TaskWaitParts,
  task: DetailedTask,
  options: TaskWaitOptions = {},
): Promise<JsonObject> {
  const { requests } = parts;
  const stop = new AbortController();
  const giveUp = (reason: Error) => stop.abort(reason);
  const { signal, timeout = requests.timeout } = options;
  const onAbort = () => giveUp(toCancelled("tools/call", signal?.reason));
  if (signal?.aborted) onAbort();
  signal?.addEventListener("abort", onAbort, { once: true });
  // The caller limits how long a task may take; the task itself ends with its ttl.
  const total = timeout?.total ?? Number.POSITIVE_INFINITY;
  const deadline = new Deadline("tools/call", { idle: total, total }, giveUp);
  void parts.closed.then(() =>
    giveUp(new ConnectionClosedError("The connection closed while a task was under way.")),
  );
  const reporter = new TaskReporter(options.onTask, parts.report);
  const wait: TaskWait = {
    ...parts,
    taskId: task.taskId,
    callId: options.callId,
    options,
    reporter,
    signal: stop.signal,
    giveUp,
  };
  try {
    reporter.report(task);
    return await (requests.revision.tasks === "by-sender" ? awaitResult(wait, task) : pollTask(wait, task));
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    if (!options.continuesUnattended) cancelQuietly(parts, task.taskId);
    throw stop.signal.reason;
  } finally {
    deadline.stop();
    signal?.removeEventListener("abort", onAbort);
    stop.abort();
  }
}

/** Cancels a task whose result is not wanted any more. */
function cancelQuietly({ requests, cancelling }: TaskWaitParts, taskId: string): void {
  const { revision, server } = requests;
  if (revision.tasks === "by-sender" && !hasCapability(server.capabilities, "tasks.cancel")) return;
  // A task that has ended meanwhile, or a server that is gone, needs no cancelling.
  const cancelled = requests.send("tasks/cancel", { taskId }).catch(() => {});
  cancelling.add(cancelled);
  void cancelled.then(() => cancelling.delete(cancelled));
}

const noTimeout = { idle: Number.POSITIVE_INFINITY, total: Number.POSITIVE_INFINITY };

/**
 * Waits for the result of a task by `tasks/result`, which blocks; questions come as requests.
 *
 * basic/utilities/tasks#result-retrieval (2025-11-25)
 */
async function awaitResult(wait: TaskWait, first: DetailedTask): Promise<JsonObject> {
  const { requests, taskId, reporter, notifications, signal } = wait;
  const { onId } = wait.options;
  const ended = new AbortController();
  const stop = notifications.listen((name, params) => onNotification(wait, name, params));
  if (reporter.hasListener) void reportStatus(wait, first, AbortSignal.any([signal, ended.signal]));
  try {
    const options = { signal, timeout: noTimeout, onId };
    const result = await retryTransient(() => requests.send("tasks/result", { taskId }, options), signal);
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
