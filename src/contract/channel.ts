import type { JsonObject } from "../lib/json.ts";
import type { RequestId } from "../protocol/message.ts";
import type { Timeout } from "./deadline.ts";

export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** The params of a progress notification; undefined when they are invalid. */
export function toProgress(params: JsonObject): Progress | undefined {
  const { progress, total, message } = params;
  if (typeof progress !== "number") return undefined;
  return {
    progress,
    ...(typeof total === "number" && { total }),
    ...(typeof message === "string" && { message }),
  };
}

/** HTTP headers by name. */
export type HeaderRecord = { readonly [name: string]: string };

export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
  readonly timeout?: Timeout | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Told the id of the request just before it goes out. */
  readonly onId?: ((id: RequestId) => void) | undefined;
  /** Giving up on the request is not told to the peer. */
  readonly suppressCancel?: boolean | undefined;
  /** The request may be sent again, once, when it is unknown whether the first was carried out. */
  readonly retry?: boolean | undefined;
  /** Sent with the request where the channel carries headers; headers of the transport itself win. */
  readonly headers?: HeaderRecord | undefined;
}

/** What a client, or a server that asks, speaks to: requests go out, replies come back. */
export interface Channel {
  /** Settles exactly once: reply, error, abort, deadline or close. */
  request(method: string, params: JsonObject, options?: RequestOptions): Promise<JsonObject>;
  notify(method: string, params: JsonObject): Promise<void>;
  close(): Promise<void>;
  /** Which way of speaking was found out, where a transport has several. */
  readonly shape?: string | undefined;
  /** A request over this channel takes the `headers` of its options along, as over HTTP. */
  readonly carriesHeaders?: boolean | undefined;
}

/** One request that has arrived and is being answered. */
export interface IncomingRequest {
  readonly id: RequestId;
  readonly method: string;
  readonly params: JsonObject;
  /** Aborted when the sender cancels or the connection goes. */
  readonly signal: AbortSignal;
  /** Whether it was aborted already, without making a signal to find out. */
  readonly cancelled: boolean;
  /** Whether it is over, its answer being on the way. */
  readonly answered: boolean;
}

/** What stands behind a channel and takes what arrives. */
export interface Receiver {
  /** Answers a request with a result; what it throws becomes an error response. */
  onRequest(request: IncomingRequest): unknown;
  onNotification(method: string, params: JsonObject): void;
  /** Something arrived that can't be used; the connection goes on. */
  onProblem(problem: Error): void;
  /** The channel is gone, once. */
  onClose(reason: Error): void;
  /** What the server remembered of us was lost, and the channel has been opened anew beneath. */
  onReconnected?(): void;
}

/** The wire tap: the text of each message, as it stands on the wire. */
export type Tap = (text: string, direction: MessageDirection) => void;

export type MessageDirection = "sent" | "received";
