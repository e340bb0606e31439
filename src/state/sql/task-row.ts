import type { JsonObject } from "../../lib/json.ts";
import type { TaskStatus } from "../../protocol/model/task.ts";
import { checkStoredTask } from "../check-stored.ts";
import { parseStoredObject } from "../parse-stored.ts";
import type { ClaimedTask, NewTask, StoredTask, TaskChange } from "../task-store.ts";
import { fromStoredText, toStoredKey, toStoredText } from "./stored-text.ts";
import { withoutAnswered } from "./task-asks.ts";

/** A task as a database returns it. Numbers may come as texts. */
export interface TaskRow {
  /** The members that never change, as JSON. */
  readonly fixed: string;
  readonly status: TaskStatus;
  readonly status_message: string | null;
  readonly progress: string | null;
  readonly record: string | null;
  readonly asks: string;
  readonly answers: string;
  readonly result: string | null;
  readonly error: string | null;
  readonly created_us: number | string;
  readonly updated_ms: number | string;
}

/** The columns of `TaskRow`. */
export const taskColumns =
  "fixed, status, status_message, progress, record, asks, answers, result, error, created_us, updated_ms";

export interface ClaimedRow extends TaskRow {
  readonly token: number | string;
}

type FixedMembers = Pick<
  StoredTask,
  "id" | "queue" | "owner" | "holder" | "lister" | "ttlMs" | "pollIntervalMs" | "work"
>;

/** The values of the columns with which a task begins. */
export interface NewTaskColumns {
  readonly id: string;
  readonly queue: string;
  readonly holder: string;
  readonly lister: string;
  readonly fixed: string;
  readonly statusMessage: string | null;
  readonly progress: string | null;
  readonly record: string | null;
}

export function toNewTaskColumns(task: NewTask): NewTaskColumns {
  const { statusMessage, progress, record, ...fixed } = task;
  const members: FixedMembers = fixed;
  return {
    id: toStoredKey(task.id),
    queue: toStoredKey(task.queue),
    holder: toStoredKey(task.holder ?? task.owner),
    lister: toStoredKey(task.lister),
    fixed: encodeJson(members),
    statusMessage: statusMessage === undefined ? null : toStoredText(statusMessage),
    progress: encodeOptional(progress),
    record: encodeOptional(record),
  };
}

/** The values of the columns that a worker changes; null where they stay. */
export interface ChangedColumns {
  readonly statusMessage: string | null;
  readonly progress: string | null;
  readonly record: string | null;
  readonly status: TaskStatus | null;
  readonly result: string | null;
  readonly error: string | null;
  readonly asks: string | null;
  /** 1 when the claim is over, so that its token must not count any more. */
  readonly released: 0 | 1;
}

/** `answers` are those that the task has, for a change that asks. */
export function toChangedColumns(change: TaskChange, answers: JsonObject = {}): ChangedColumns {
  const { statusMessage, progress, record, ended, leaseMs } = change;
  const asks = ended ? {} : change.asks && withoutAnswered(change.asks, answers);
  const isAsking = asks !== undefined && Object.keys(asks).length > 0;
  return {
    statusMessage: statusMessage === undefined ? null : toStoredText(statusMessage),
    progress: encodeOptional(progress),
    record: encodeOptional(record),
    status: isAsking ? "input_required" : (ended?.status ?? null),
    result: encodeOptional(ended?.status === "completed" ? ended.result : undefined),
    error: encodeOptional(ended?.status === "failed" ? ended.error : undefined),
    asks: encodeOptional(asks),
    released: leaseMs === 0 || asks !== undefined ? 1 : 0,
  };
}

/** True for a change that only renews the lease, of which nobody is notified. */
export function isRenewal({ statusMessage, progress, record, asks, ended, leaseMs }: TaskChange): boolean {
  const others = [statusMessage, progress, record, asks, ended];
  return leaseMs !== 0 && others.every((other) => other === undefined);
}

export function toStoredTask(row: TaskRow): StoredTask {
  return checkStoredTask({
    ...decodeJson(row.fixed),
    createdAt: Math.floor(Number(row.created_us) / 1000),
    updatedAt: Number(row.updated_ms),
    status: row.status,
    ...(row.status_message !== null && { statusMessage: fromStoredText(row.status_message) }),
    ...(row.progress !== null && { progress: decodeJson(row.progress) }),
    ...(row.record !== null && { record: decodeJson(row.record) }),
    asks: decodeJson(row.asks),
    answers: decodeJson(row.answers),
    ...(row.result !== null && { result: decodeJson(row.result) }),
    ...(row.error !== null && { error: decodeJson(row.error) }),
  });
}

export function toClaimedTask(row: ClaimedRow): ClaimedTask {
  const task = toStoredTask(row);
  return { id: task.id, token: Number(row.token), task };
}

export function encodeJson(value: unknown): string {
  return toStoredText(JSON.stringify(value));
}

export function decodeJson(text: string): JsonObject {
  return parseStoredObject<JsonObject>(fromStoredText(text));
}

function encodeOptional(value: JsonObject | undefined): string | null {
  return value === undefined ? null : encodeJson(value);
}
