import { CapabilityError, InvalidResponseError, UsageError } from "../../errors.ts";
import type { JsonObject } from "../../lib/json.ts";
import { hasCapability } from "../../protocol/model/identity.ts";
import { readTask } from "../../protocol/model/read-task.ts";
import type { DetailedTask } from "../../protocol/model/task.ts";
import type { Tool } from "../../protocol/model/tool.ts";
import type { Revision } from "../../protocol/revision.ts";
import type { Requests } from "../requests.ts";
import type { TaskAugmentation } from "./task-options.ts";

/**
 * Adds to the params of a call that it is to become a task, in revisions where the sender decides.
 *
 * basic/utilities/tasks#creating-tasks (2025-11-25)
 */
export function toTaskParams(
  { revision, server }: Requests,
  params: JsonObject,
  task: TaskAugmentation | undefined,
  tool: Tool | undefined,
): JsonObject {
  if (revision.tasks !== "by-sender" || task === false) return params;
  const isPossible = hasCapability(server.capabilities, "tasks.requests.tools.call");
  const support = tool?.execution?.taskSupport;
  if (task === undefined) return isPossible && support === "required" ? { ...params, task: {} } : params;
  if (!isPossible)
    throw new CapabilityError("tasks.requests.tools.call", "server", "Calling a tool as a task");
  if (tool && support !== "optional" && support !== "required")
    throw new UsageError(`The tool "${tool.name}" can't be called as a task.`);
  const { ttlMs } = task === true ? {} : task;
  return { ...params, task: ttlMs === undefined ? {} : { ttlMs } };
}

/** The task that a call has become; undefined when the answer is the result itself. */
export function toCreatedTask(
  revision: Revision,
  params: JsonObject,
  answer: JsonObject,
): DetailedTask | undefined {
  const created = findCreatedTask(revision, params, answer);
  if (created === undefined) return undefined;
  const task = readTask(created);
  if (task === undefined) throw new InvalidResponseError("tools/call was answered with an invalid task.");
  return task;
}

function findCreatedTask(revision: Revision, params: JsonObject, answer: JsonObject): unknown {
  switch (revision.tasks) {
    case "by-receiver":
      return answer.resultType === "task" ? answer : undefined;
    case "by-sender":
      return params.task === undefined ? undefined : answer.task;
    case "none":
      return undefined;
  }
}
