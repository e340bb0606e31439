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

/** Observes the requests of a server or a client, as `otel(api)` does. Each member runs the work that it observes. */
export interface Telemetry {
  /** Observes the answer to a call. `isKnown` is false where the method, or the item that it names, does not exist. */
  serve(
    call: Call,
    isKnown: boolean,
    answer: (ask: Call["ask"]) => MaybePromise<JsonText>,
  ): MaybePromise<JsonText>;
  /** Observes the `initialize` that opens a session. */
  open<T>(params: JsonObject, open: () => T): T;
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
  /** Observes the connection of a client until it is closed. */
  connect(revision: string, to: Destination, closed: Promise<unknown>): void;
}
