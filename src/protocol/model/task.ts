import type { ErrorObject } from "../../errors.ts";
import type { JsonObject } from "../../lib/json.ts";

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

const ended: readonly TaskStatus[] = ["completed", "failed", "cancelled"];

export function isTerminal({ status }: { readonly status: TaskStatus }): boolean {
  return ended.includes(status);
}
