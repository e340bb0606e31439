import type { MaybePromise } from "../lib/async/maybe-promise.ts";
import type { JsonObject, JsonText } from "../lib/json.ts";
import type { RequestId } from "../protocol/message.ts";
import type { Call } from "./call.ts";

/** A request on its way to the other side. */
export interface SentRequest {
  readonly method: string;
  readonly params: JsonObject;
  /** The date of the revision, once it is agreed on. */
  readonly revision?: string | undefined;
  /** The way to the server; undefined for the question of a server. */
  readonly to?: Destination | undefined;
}

export interface Destination {
  /** The kind of the transport, such as `http`. */
  readonly kind: string;
  readonly address?: string | undefined;
}

/** A request of the server that the client answers. */
export interface ReceivedRequest {
  readonly method: string;
  readonly params: JsonObject;
  readonly id: RequestId;
  readonly revision: string;
}

/** A notification of the other side. */
export interface ReceivedNotification {
  readonly method: string;
  readonly params: JsonObject;
  /** The date of the revision, where it is known. */
  readonly revision: string | undefined;
  /** The way it came, where this side is the server. */
  readonly from?: Pick<Call, "address" | "http"> | undefined;
  /** True where somebody listens to the method, which the sender then did not make up. */
  readonly hasListener?: boolean | undefined;
}

/** Observes the requests of a server or a client, as `otel(api)` does. Each member runs the work that it observes. */
export interface Telemetry {
  /**
   * Observes the answer to a call. `isKnown` is false where the method, or the item that it names, does not exist, and
   * undefined where only the answer shows whether it does.
   */
  serve(
    call: Call,
    isKnown: boolean | undefined,
    answer: (ask: Call["ask"], notify: Call["notify"]) => MaybePromise<JsonText>,
  ): MaybePromise<JsonText>;
  /** Observes the `initialize` that opens a session. */
  open<T>(params: JsonObject, origin: Pick<Call, "address" | "http">, open: () => T): T;
  /** Observes a session on the server, until the returned function is called with the error that ended it, if one did. */
  serveSession(revision: string, origin: Pick<Call, "address" | "http">): (error: Error | undefined) => void;
  /** Observes one run of a call that became a task. */
  runTask(call: Call, run: () => MaybePromise<JsonObject>): MaybePromise<JsonObject>;
  /** Joins the requests of one operation of a client: the rounds of a call, and the task that it becomes. */
  join<T>(run: () => Promise<T>): Promise<T>;
  /** Observes a request until its response; `send` gets the params with the trace context. */
  send(
    request: SentRequest,
    send: (params: JsonObject, onId: (id: RequestId) => void) => Promise<JsonObject>,
  ): Promise<JsonObject>;
  /** Observes the answer of a client to the request of its server. */
  receive<T>(request: ReceivedRequest, answer: () => Promise<T>): Promise<T>;
  /** Observes a notification until it is sent; `send` gets the params with the trace context. */
  notify(notification: SentRequest, send: (params: JsonObject) => Promise<void>): Promise<void>;
  /** Observes what is done about a notification of the other side. */
  onNotification<T>(notification: ReceivedNotification, run: () => MaybePromise<T>): MaybePromise<T>;
  /** Observes the connection of a client until it is closed. */
  connect(revision: string, to: Destination, closed: Promise<Error>): void;
}

/** Sends a notification, observed if there is an observer. */
export function observeSending(
  telemetry: Telemetry | undefined,
  notification: SentRequest,
  send: (params: JsonObject) => Promise<void>,
): Promise<void> {
  return telemetry ? telemetry.notify(notification, send) : send(notification.params);
}

/** Runs what a notification leads to, observed if there is an observer. */
export function observeReceived<T>(
  telemetry: Telemetry | undefined,
  notification: ReceivedNotification,
  run: () => MaybePromise<T>,
): MaybePromise<T>;
export function observeReceived(telemetry: Telemetry | undefined, notification: ReceivedNotification): void;
export function observeReceived<T>(
  telemetry: Telemetry | undefined,
  notification: ReceivedNotification,
  run: () => MaybePromise<T | undefined> = () => undefined,
): MaybePromise<T | undefined> {
  return telemetry ? telemetry.onNotification(notification, run) : run();
}
