import type { ErrorObject } from "../../errors.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import type { DetailedTask, TaskStatus } from "./task.ts";

const statuses: readonly unknown[] = ["working", "input_required", "completed", "failed", "cancelled"];

/** A task that a peer described, in the form of any revision; undefined when it is not a task. */
export function readTask(value: unknown): DetailedTask | undefined {
  if (!isObject(value) || typeof value.taskId !== "string" || !statuses.includes(value.status))
    return undefined;
  const { taskId, status, statusMessage, createdAt, lastUpdatedAt, inputRequests, result, error } = value;
  const ttlMs = toMs(value.ttlMs ?? value.ttl);
  const pollIntervalMs = toMs(value.pollIntervalMs ?? value.pollInterval);
  return {
    taskId,
    status: status as TaskStatus,
    ...(typeof statusMessage === "string" && { statusMessage }),
    createdAt: String(createdAt ?? ""),
    lastUpdatedAt: String(lastUpdatedAt ?? createdAt ?? ""),
    ttlMs: ttlMs ?? null,
    ...(pollIntervalMs !== undefined && { pollIntervalMs }),
    ...(isObject(inputRequests) && { inputRequests }),
    ...(isObject(result) && { result }),
    ...(isObject(error) && { error: toErrorObject(error) }),
  };
}

function toMs(value: unknown): number | undefined {
  return typeof value === "number" && value >= 0 ? value : undefined;
}

function toErrorObject({ code, message, data }: JsonObject): ErrorObject {
  const text = typeof message === "string" ? message : "The task failed.";
  return { code: typeof code === "number" ? code : 0, message: text, ...(data !== undefined && { data }) };
}
