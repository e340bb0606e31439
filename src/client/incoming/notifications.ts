import type { Change } from "../../contract/server-event.ts";
import type { JsonObject } from "../../lib/json.ts";
import { methods } from "../../protocol/methods.ts";
import { isLogLevel, type LogLevel } from "../../protocol/model/logging.ts";
import { callSafely, type Report } from "../report.ts";

export interface LogMessage {
  readonly level: LogLevel;
  readonly logger?: string;
  readonly data: unknown;
}

export type NotificationListener = (method: string, params: JsonObject) => unknown;
export type ChangeListener = (change: Change) => unknown;

/** Passes on what the server tells without being asked. */
export class Notifications {
  readonly #first = new Set<NotificationListener>();
  readonly #listeners = new Set<NotificationListener>();
  readonly #renewals = new Set<() => Promise<void>>();
  readonly #reconnections = new Set<() => unknown>();
  readonly #report: Report;

  constructor(report: Report) {
    this.#report = report;
  }

  /** Tells of every notification until the returned function is called. */
  listen(listener: NotificationListener): () => void {
    // A function of our own, so that a listener given twice is told twice.
    const entry: NotificationListener = (method, params) => listener(method, params);
    this.#listeners.add(entry);
    return () => void this.#listeners.delete(entry);
  }

  /** Tells of changes before anybody else hears of them, so that what is stale is gone by then. */
  listenFirst(listener: (change: Change) => void): void {
    this.#first.add((method, params) => {
      const change = toChange(method, params);
      if (change) listener(change);
    });
  }

  listenToChanges(listener: ChangeListener): () => void {
    return this.listen((method, params) => {
      const change = toChange(method, params);
      return change && listener(change);
    });
  }

  listenToLog(listener: (message: LogMessage) => unknown): () => void {
    return this.listen((method, params) => {
      const message = method === "notifications/message" ? toLogMessage(params) : undefined;
      return message && listener(message);
    });
  }

  /** Runs what the server has to be told again when it has forgotten us. */
  renewWith(renewal: () => Promise<void>): void {
    this.#renewals.add(renewal);
  }

  /** Tells that the server had forgotten us, once it has been told again what it should know. */
  listenToReconnections(listener: () => unknown): () => void {
    const entry = () => listener();
    this.#reconnections.add(entry);
    return () => void this.#reconnections.delete(entry);
  }

  async reconnected(): Promise<void> {
    const outcomes = await Promise.allSettled([...this.#renewals].map((renew) => renew()));
    for (const outcome of outcomes) if (outcome.status === "rejected") this.#report(outcome.reason);
    for (const listener of this.#reconnections) callSafely(this.#report, listener);
  }

  dispatch(method: string, params: JsonObject): void {
    for (const listener of [...this.#first, ...this.#listeners])
      callSafely(this.#report, () => listener(method, params));
  }
}

/** What a notification says has changed, if that is what it is about. */
export function toChange(method: string, params: JsonObject): Change | undefined {
  const kind = methods.get(method)?.announces;
  if (kind === undefined) return undefined;
  if (kind !== "resource") return { kind };
  return typeof params.uri === "string" ? { kind, uri: params.uri } : undefined;
}

function toLogMessage({ level, logger, data }: JsonObject): LogMessage | undefined {
  if (!isLogLevel(level)) return undefined;
  return { level, data, ...(typeof logger === "string" && { logger }) };
}
