import { toCancelled } from "../../contract/cancellation.ts";
import { Deadline } from "../../contract/deadline.ts";
import { ConnectionClosedError } from "../../errors.ts";
import type { JsonObject } from "../../lib/json.ts";
import { hasCapability } from "../../protocol/model/identity.ts";
import type { DetailedTask } from "../../protocol/model/task.ts";
import type { Requests } from "../requests.ts";
import { awaitTaskResult } from "./await-result.ts";
import { pollTask } from "./poll-task.ts";
import { TaskReporter, type TaskWait, type TaskWaitOptions, type TaskWaitParts } from "./task-wait.ts";

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
    options,
    reporter,
    signal: stop.signal,
    giveUp,
  };
  try {
    reporter.report(task);
    return await (requests.revision.tasks === "by-sender"
      ? awaitTaskResult(wait, task)
      : pollTask(wait, task));
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    if (!options.continuesUnattended) cancelQuietly(requests, task.taskId);
    throw stop.signal.reason;
  } finally {
    deadline.stop();
    signal?.removeEventListener("abort", onAbort);
    stop.abort();
  }
}

/** Cancels a task whose result is not wanted any more. */
function cancelQuietly(requests: Requests, taskId: string): void {
  const { revision, server } = requests;
  if (revision.tasks === "by-sender" && !hasCapability(server.capabilities, "tasks.cancel")) return;
  // A task that has ended meanwhile, or a server that is gone, needs no cancelling.
  requests.send("tasks/cancel", { taskId }).catch(() => {});
}
