import type { Change } from "../../contract/server-event.ts";
import { ConnectionClosedError } from "../../errors.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import type { RequestId } from "../../protocol/message.ts";
import { MetaKey } from "../../protocol/meta.ts";
import { methods } from "../../protocol/method-table.ts";
import { isLogLevel, type LogLevel } from "../../protocol/model/logging.ts";
import { callSafely, type Report } from "../report.ts";

export interface LogMessage {
  readonly level: LogLevel;
  readonly logger?: string;
  readonly data: unknown;
}

export type NotificationListener = (method: string, params: JsonObject, relatedTo?: RequestId) => unknown;
export type ChangeListener = (change: Change) => unknown;

/** Passes notifications of the server on to their listeners. */
export class Notifications {
  readonly #first = new Set<NotificationListener>();
  readonly #listeners = new Set<NotificationListener>();
  /** The listeners of single subscriptions: there may be thousands, and a notification is for one. */
  readonly #subscribed = new Map<unknown, NotificationListener>();
  readonly #renewals = new Set<() => Promise<void>>();
  readonly #reconnections = new Set<() => unknown>();
  readonly #report: Report;

  constructor(report: Report) {
    this.#report = report;
  }

  /** Adds a listener for every notification; the returned function removes it. */
  listen(listener: NotificationListener): () => void {
    // A function of our own, so that a listener added twice is called twice.
    const entry: NotificationListener = (method, params, relatedTo) => listener(method, params, relatedTo);
    this.#listeners.add(entry);
    return () => void this.#listeners.delete(entry);
  }

  /** Sets the listener for the notifications of one subscription; the returned function removes it. */
  listenTo(subscriptionId: RequestId, listener: NotificationListener): () => void {
    this.#subscribed.set(subscriptionId, listener);
    return () => void this.#subscribed.delete(subscriptionId);
  }

  /** Adds a listener for changes that is called before all others, to drop stale caches by then. */
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

  listenToLog(listener: (message: LogMessage, relatedTo?: RequestId) => unknown): () => void {
    return this.listen((method, params, relatedTo) => {
      const message = method === "notifications/message" ? toLogMessage(params) : undefined;
      return message && listener(message, relatedTo);
    });
  }

  /** Adds a step that sets up again what a lost session held, such as subscriptions. */
  renewWith(renewal: () => Promise<void>): void {
    this.#renewals.add(renewal);
  }

  /** Adds a listener that is called when a lost session has been replaced by a new one. */
  listenToReconnections(listener: () => unknown): () => void {
    const entry = () => listener();
    this.#reconnections.add(entry);
    return () => void this.#reconnections.delete(entry);
  }

  async reconnected(): Promise<void> {
    const outcomes = await Promise.allSettled([...this.#renewals].map((renew) => renew()));
    for (const outcome of outcomes) {
      // A connection that closes meanwhile needs no renewal.
      if (outcome.status === "rejected" && !(outcome.reason instanceof ConnectionClosedError))
        this.#report(outcome.reason);
    }
    for (const listener of this.#reconnections) callSafely(this.#report, listener);
  }

  dispatch(method: string, params: JsonObject, relatedTo?: RequestId): void {
    const { _meta } = params;
    const subscribed = isObject(_meta) ? this.#subscribed.get(_meta[MetaKey.subscriptionId]) : undefined;
    for (const listener of [...this.#first, ...(subscribed ? [subscribed] : []), ...this.#listeners])
      callSafely(this.#report, () => listener(method, params, relatedTo));
  }
}

/** The change that a notification announces; undefined if it announces none. */
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
