import type { ErrorObject } from "../../errors.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";

/** The extension by which tasks are declared; also the capability, in the neutral model, of both sides. */
export const tasksExtension = "io.modelcontextprotocol/tasks";
export const tasksCapability: string = `extensions.${tasksExtension}`;

export type TaskStatus = "working" | "input_required" | "completed" | "failed" | "cancelled";

/** Work that goes on after the request that began it has been answered. */
export interface Task {
  readonly taskId: string;
  readonly status: TaskStatus;
  readonly statusMessage?: string;
  /** ISO 8601. */
  readonly createdAt: string;
  /** ISO 8601. */
  readonly lastUpdatedAt: string;
  /** Time after its creation when the task may be forgotten; null for never. */
  readonly ttlMs: number | null;
  /** Suggested time between two polls. */
  readonly pollIntervalMs?: number;
}

/** A task with the part that belongs to its status: questions, a result, or an error. */
export interface DetailedTask extends Task {
  readonly inputRequests?: JsonObject;
  readonly result?: JsonObject;
  readonly error?: ErrorObject;
}

const statuses: readonly unknown[] = ["working", "input_required", "completed", "failed", "cancelled"];
const ended: readonly TaskStatus[] = ["completed", "failed", "cancelled"];

export function isTerminal({ status }: { readonly status: TaskStatus }): boolean {
  return ended.includes(status);
}

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
