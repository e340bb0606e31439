import type { JsonObject } from "../../../lib/json.ts";
import { isTerminal } from "../../../protocol/model/task.ts";
import { checkStoredTask } from "../../check-stored.ts";
import { parseStoredObject, unreadableEntry } from "../../parse-stored.ts";
import type { NewTask, StoredTask, TaskChange } from "../../task-store.ts";

/** A task as it is stored: the task, and the claim on it. */
export interface TaskRecord {
  readonly task: StoredTask;
  /** The token of the last claim. */
  readonly token: number;
  /** The time after which the worker that has it is taken for dead. */
  readonly leasedUntil: number;
}

export function newRecord(task: NewTask, now: number): TaskRecord {
  const stored: StoredTask = {
    ...task,
    status: "working",
    createdAt: now,
    updatedAt: now,
    asks: {},
    answers: {},
  };
  return { task: stored, token: 0, leasedUntil: 0 };
}

/** A record as it was stored. Throws StoredFormatError for one of another form. */
export function readRecord(text: string): TaskRecord {
  const { task, token, leasedUntil } = parseStoredObject<Partial<TaskRecord>>(text);
  if (typeof token !== "number" || typeof leasedUntil !== "number") throw unreadableEntry();
  return { task: checkStoredTask(task), token, leasedUntil };
}

/** A new claim, unless the task is not to be done, or a worker has it. */
export function claimed(record: TaskRecord, leaseMs: number, now: number): TaskRecord | undefined {
  if (record.task.status !== "working" || record.leasedUntil > now) return undefined;
  return { ...record, token: record.token + 1, leasedUntil: now + leaseMs };
}

/** The record after a worker's change; undefined if the worker has lost its claim. */
export function saved(
  record: TaskRecord,
  token: number,
  change: TaskChange,
  now: number,
): TaskRecord | undefined {
  if (record.token !== token || record.task.status !== "working") return undefined;
  const { leaseMs, asks, ended, ...others } = change;
  const leased =
    leaseMs === undefined
      ? record
      : leaseMs === 0
        ? released(record)
        : { ...record, leasedUntil: now + leaseMs };
  if (ended) return changed(leased, { ...others, ...ended, asks: {} }, now);
  if (asks) return asking(leaseMs === 0 ? leased : released(leased), asks, others, now);
  return Object.keys(others).length > 0 ? changed(leased, others, now) : leased;
}

/** The record after answers; undefined if none was asked for. */
export function answered(
  { task, ...claim }: TaskRecord,
  answers: JsonObject,
  now: number,
): TaskRecord | undefined {
  if (task.status !== "input_required") return undefined;
  const taken = Object.entries(answers).filter(([key]) => Object.hasOwn(task.asks, key));
  if (taken.length === 0) return undefined;
  const asks = Object.fromEntries(Object.entries(task.asks).filter(([key]) => !Object.hasOwn(answers, key)));
  const status = Object.keys(asks).length === 0 ? "working" : "input_required";
  const all = { ...task.answers, ...Object.fromEntries(taken) };
  return changed({ task, ...claim }, { asks, answers: all, status }, now);
}

export function cancelled(record: TaskRecord, now: number): TaskRecord | undefined {
  return isTerminal(record.task) ? undefined : changed(record, { status: "cancelled", asks: {} }, now);
}

export function expiryOfTask({ createdAt, ttlMs }: StoredTask): number {
  return createdAt + ttlMs;
}

function asking(record: TaskRecord, asked: JsonObject, others: Partial<StoredTask>, now: number): TaskRecord {
  const { answers } = record.task;
  const asks = Object.fromEntries(Object.entries(asked).filter(([key]) => !Object.hasOwn(answers, key)));
  const status = Object.keys(asks).length === 0 ? "working" : "input_required";
  return changed(record, { ...others, asks, status }, now);
}

/** Ends the claim: its token counts no more. */
function released(record: TaskRecord): TaskRecord {
  return { ...record, token: record.token + 1, leasedUntil: 0 };
}

function changed(record: TaskRecord, change: Partial<StoredTask>, now: number): TaskRecord {
  return { ...record, task: { ...record.task, ...change, updatedAt: now } };
}
