import { isObject } from "../lib/json.ts";
import { unreadableEntry } from "./parse-stored.ts";
import type { StoredSession } from "./state.ts";
import type { StoredTask } from "./task-store.ts";

const isString = (value: unknown): boolean => typeof value === "string";
const isNumber = (value: unknown): boolean => Number.isFinite(value);
const isText = (value: unknown): boolean => value === undefined || isString(value);
const isOptional = (value: unknown): boolean => value === undefined || isObject(value);
const areStrings = (value: unknown): boolean => Array.isArray(value) && value.every(isString);

type Checks<T> = { readonly [Name in keyof Required<T>]: (value: unknown) => boolean };

const sessionChecks: Checks<StoredSession> = {
  id: isString,
  owner: isString,
  revision: isString,
  client: (value) => isObject(value) && isObject(value.capabilities),
  ready: (value) => typeof value === "boolean",
  logLevel: isText,
  lists: areStrings,
  subscriptions: areStrings,
  read: isString,
};

const statuses: readonly unknown[] = ["working", "input_required", "completed", "failed", "cancelled"];

const taskChecks: Checks<StoredTask> = {
  id: isString,
  queue: isString,
  owner: isString,
  holder: isText,
  lister: isString,
  createdAt: isNumber,
  updatedAt: isNumber,
  ttlMs: isNumber,
  pollIntervalMs: isNumber,
  status: (value) => statuses.includes(value),
  statusMessage: isText,
  progress: isOptional,
  work: isObject,
  record: isOptional,
  asks: isObject,
  answers: isObject,
  result: isOptional,
  error: isOptional,
};

/** A session as it was read. Throws StoredFormatError for one of another form. */
export function checkStoredSession(session: unknown): StoredSession {
  const { logLevel, ...others } = check<StoredSession>(session, sessionChecks);
  // JSON leaves out members that are undefined.
  return { ...others, logLevel };
}

/** A task as it was read. Throws StoredFormatError for one of another form. */
export function checkStoredTask(task: unknown): StoredTask {
  return check<StoredTask>(task, taskChecks);
}

function check<T extends object>(value: unknown, checks: Checks<T>): T {
  const isKnown =
    isObject(value) &&
    Object.entries<(member: unknown) => boolean>(checks).every(([name, is]) => is(value[name]));
  if (!isKnown) throw unreadableEntry();
  return value as T;
}
