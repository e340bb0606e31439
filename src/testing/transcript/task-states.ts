import { sleep } from "../../lib/async/sleep.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import type { WireMessage } from "./transcript.ts";

/** The pause between two looks at a task, in milliseconds. */
const pauseMs = 5;

/** The members of a task that show its progress. */
const course = ["status", "statusMessage", "inputRequests", "result", "error"];

const ended: readonly unknown[] = ["completed", "failed", "cancelled"];

/** Places that differ with the time at which somebody looked at a task that was at work. */
export const timingPaths: readonly string[] = course.map((name) => `result.${name}`);

/** A notification of a task. Which of them come depends on the time at which the client began to listen. */
export function isTaskNotification(message: WireMessage): message is JsonObject {
  if (!isObject(message) || message.id !== undefined) return false;
  return message.method === "notifications/tasks" || message.method === "notifications/tasks/status";
}

/** The task that a message of the server shows, if it does not only create it. */
export function shownTask(message: WireMessage): JsonObject | undefined {
  if (!isObject(message)) return undefined;
  const { params, result } = message;
  const task = isTaskNotification(message) ? params : result;
  if (!isObject(task) || typeof task.taskId !== "string" || typeof task.status !== "string") return undefined;
  return task.resultType === "task" ? undefined : task;
}

/** True for a state that the task stays in: until somebody answers, or for good. */
export function isLasting({ status, inputRequests }: JsonObject): boolean {
  return ended.includes(status) || inputRequests !== undefined;
}

/** Looks at a task until it has come to a state, as often as `look` allows; gives what was seen last. */
export async function waitForState(
  wanted: JsonObject,
  first: WireMessage | undefined,
  look: () => Promise<WireMessage | undefined>,
): Promise<WireMessage | undefined> {
  let seen = first ?? (await look());
  for (;;) {
    const task = seen === undefined ? undefined : shownTask(seen);
    if (task === undefined || task.status === wanted.status || ended.includes(task.status)) return seen;
    await sleep(pauseMs);
    const next = await look();
    if (next === undefined) return seen;
    seen = next;
  }
}
