import { isObject, type JsonObject } from "../../lib/json.ts";
import type { Encode } from "../method.ts";
import { type DetailedTask, type Task, tasksExtension } from "../model/task.ts";
import { type WireRules, without } from "./wire-rules.ts";

/** True for the result of a call that became a task. */
export function isCreatedTask(result: JsonObject): boolean {
  return result.resultType === "task";
}

/** The answer to a request that became a task. */
export function encodeCreatedTask(rules: WireRules, result: JsonObject): JsonObject {
  if (rules.tasks === "extension") return result;
  const { resultType: _, _meta, ...task } = result;
  return { ...(_meta !== undefined && { _meta }), task: encodePlainTask(task as unknown as Task) };
}

/** A task with its result or questions, where the revision sends them together. */
export function encodeTask(
  rules: WireRules,
  task: JsonObject,
  encodeResult: (result: JsonObject) => JsonObject,
): JsonObject {
  if (rules.tasks !== "extension") return encodePlainTask(task as unknown as DetailedTask);
  if (!isObject(task.result)) return task;
  // The result is what the request itself would have been answered with, and those of this revision name their type.
  return { ...task, result: { resultType: "complete", ...encodeResult(task.result) } };
}

/** A task in the words of the revision that fetches its result by a request of its own. */
function encodePlainTask(task: DetailedTask): JsonObject {
  const { ttlMs, pollIntervalMs, inputRequests: _, result, error: __, ...others } = task;
  return {
    ...others,
    // In that revision a tool that failed is a task that failed, with the reason as its message.
    // basic/utilities/tasks#task-execution-errors (2025-11-25)
    ...(result?.isError === true && { status: "failed", ...describeFailure(result) }),
    ttl: ttlMs,
    ...(pollIntervalMs !== undefined && { pollInterval: pollIntervalMs }),
  };
}

function describeFailure({ content }: JsonObject): JsonObject {
  const texts = Array.isArray(content) ? content.filter(isObject).map(({ text }) => text) : [];
  const statusMessage = texts.find((text) => typeof text === "string");
  return statusMessage === undefined ? {} : { statusMessage };
}

const augmentedCalls: JsonObject = { cancel: {}, requests: { tools: { call: {} } } };

/** The capabilities of a server, with tasks as the revision declares them. */
export function encodeTasksCapability(rules: WireRules, capabilities: JsonObject): JsonObject {
  if (rules.tasks === "extension" || !isObject(capabilities.extensions)) return capabilities;
  if (!Object.hasOwn(capabilities.extensions, tasksExtension)) return capabilities;
  const { extensions, ...others } = capabilities;
  const left = without(capabilities.extensions, [tasksExtension]);
  return {
    ...others,
    ...(Object.keys(left).length > 0 && { extensions: left }),
    ...(rules.tasks === "augmented" && {
      tasks: { ...augmentedCalls, ...(capabilities.tasks as JsonObject) },
    }),
  };
}

/** Params of a call that is to become a task, where the caller decides that. */
export const encodeTaskParams: Encode = (rules, params) => {
  if (!isObject(params.task)) return params;
  const { task, ...others } = params;
  if (rules.tasks !== "augmented") return others;
  const { ttlMs, ...rest } = task as JsonObject;
  return { ...others, task: { ...rest, ...(ttlMs !== undefined && { ttl: ttlMs }) } };
};
