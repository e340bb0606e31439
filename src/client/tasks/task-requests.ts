import {
  CallLostError,
  CancelledError,
  HttpError,
  InvalidResponseError,
  RpcError,
  TimeoutError,
} from "../../errors.ts";
import type { JsonObject } from "../../lib/json.ts";
import { sleep } from "../../lib/sleep.ts";
import { type DetailedTask, readTask } from "../../protocol/model/task.ts";
import type { CallOptions, Requests } from "../requests.ts";
import type { TaskWait } from "./task-wait.ts";

/** The task as the server describes it now. */
export async function fetchTask(
  requests: Requests,
  taskId: string,
  options?: CallOptions,
): Promise<DetailedTask> {
  const task = readTask(await requests.send("tasks/get", { taskId }, options));
  if (task?.taskId === taskId) return task;
  throw new InvalidResponseError("tasks/get was answered with something else than the task.");
}

const maxFailures = 5;

/** Tries again what a passing trouble kept from getting through: a task is still there after it. */
export async function retryTransient<T>(wait: TaskWait, send: () => Promise<T>): Promise<T> {
  for (let failures = 1; ; failures++) {
    try {
      return await send();
    } catch (error) {
      if (failures === maxFailures || wait.signal.aborted || !isPassing(error)) throw error;
      await sleep(failures * 500, wait.signal);
    }
  }
}

/** Codes by which servers say that they have no room for a call just now: those of HTTP. */
const noRoom: readonly number[] = [429, 503];

function isPassing(error: unknown): boolean {
  if (error instanceof HttpError) return error.status === 429 || error.status >= 500;
  if (error instanceof RpcError) return noRoom.includes(error.wireCode);
  return error instanceof CallLostError || error instanceof TimeoutError;
}

const shortestMs = 50;
const longestMs = 300_000;

/** How long to wait before looking again: what the server says, within reason. */
export function pollIntervalOf({ pollIntervalMs = 1000 }: DetailedTask): number {
  return Math.min(Math.max(pollIntervalMs, shortestMs), longestMs);
}

/** Rounds are over before a task begins, and no task ends in another. */
function isWhole({ resultType = "complete" }: JsonObject): boolean {
  return resultType === "complete";
}

/** What an ended task gives its caller: the result, or the error that the call itself would have had. */
export function toTaskResult({ status, statusMessage, result, error }: DetailedTask): JsonObject {
  if (result && isWhole(result)) return result;
  if (error) throw new RpcError(error.code, error.message, error.data, { isReceived: true });
  if (status !== "cancelled")
    throw new InvalidResponseError(`The task has ${status} and does not say with what.`);
  throw new CancelledError(
    `The task was cancelled${statusMessage === undefined ? "" : `: ${statusMessage}`}.`,
  );
}
