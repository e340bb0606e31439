import {
  CallLostError,
  CancelledError,
  HttpError,
  InvalidResponseError,
  RpcError,
  TimeoutError,
} from "../../errors.ts";
import { sleep } from "../../lib/async/sleep.ts";
import type { JsonObject } from "../../lib/json.ts";
import { readTask } from "../../protocol/model/read-task.ts";
import type { DetailedTask } from "../../protocol/model/task.ts";
import type { CallOptions, Requests } from "../requests.ts";

/** The task as the server describes it now. */
export async function fetchTask(
  requests: Requests,
  taskId: string,
  options?: CallOptions,
): Promise<DetailedTask> {
  const task = readTask(await requests.send("tasks/get", { taskId }, options));
  if (task?.taskId === taskId) return task;
  throw new InvalidResponseError("tasks/get was answered with another task, or none.");
}

const maxFailures = 5;

/** Sends a request of a task again after a transient error: the task is still there. */
export async function retryTransient<T>(send: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let failures = 1; ; failures++) {
    try {
      return await send();
    } catch (error) {
      if (failures === maxFailures || signal.aborted || !isTransient(error)) throw error;
      await sleep(failures * 500, signal);
    }
  }
}

/** Error codes by which servers refuse a call because of load: the statuses of HTTP. */
const overloadCodes: readonly number[] = [429, 503];

function isTransient(error: unknown): boolean {
  if (error instanceof HttpError) return error.status === 429 || error.status >= 500;
  if (error instanceof RpcError) return overloadCodes.includes(error.wireCode);
  return error instanceof CallLostError || error instanceof TimeoutError;
}

const shortestMs = 50;
const longestMs = 300_000;

/** The time before the next poll: as the server suggests, within limits. */
export function pollIntervalOf({ pollIntervalMs = 1000 }: DetailedTask): number {
  return Math.min(Math.max(pollIntervalMs, shortestMs), longestMs);
}

/** True for a finished result: rounds are over before a task begins, and no task ends in another. */
function isWhole({ resultType = "complete" }: JsonObject): boolean {
  return resultType === "complete";
}

/** The result of an ended task; throws the error that the call itself would have had. */
export function toTaskResult({ status, statusMessage, result, error }: DetailedTask): JsonObject {
  if (result && isWhole(result)) return result;
  if (error) throw new RpcError(error.code, error.message, error.data, { isReceived: true });
  if (status !== "cancelled")
    throw new InvalidResponseError(`The task has ${status} and brought neither a result nor an error.`);
  throw new CancelledError(
    `The task was cancelled${statusMessage === undefined ? "" : `: ${statusMessage}`}.`,
  );
}
