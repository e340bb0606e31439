import type { JsonObject } from "../lib/json.ts";
import type { RequestId } from "../protocol/message.ts";
import type { SharedMeta } from "../protocol/shared-meta.ts";
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
  /** Asks for progress without a listener, as a sign of life. */
  readonly wantsProgress?: boolean | undefined;
  /** Called with the id of the request just before it is sent. */
  readonly onId?: ((id: RequestId) => void) | undefined;
  /** Called with the length of the text that brought the result, in characters. */
  readonly onSize?: ((chars: number) => void) | undefined;
  /** Sends no cancellation to the peer when the request is given up. */
  readonly suppressCancel?: boolean | undefined;
  /** The request may be sent again, once, when it is unknown whether the first was carried out. */
  readonly retry?: boolean | undefined;
  /** Metadata of all requests of the connection, which goes before what the params bring. */
  readonly sharedMeta?: SharedMeta | undefined;
  /** Sent with the request where the channel carries headers; headers of the transport itself win. */
  readonly headers?: HeaderRecord | undefined;
}

/** The sending side of a connection: requests go out, responses come back. */
export interface Channel {
  /** Settles exactly once: by a result, an error, an abort, a deadline or the close. */
  request(method: string, params: JsonObject, options?: RequestOptions): Promise<JsonObject>;
  notify(method: string, params: JsonObject): Promise<void>;
  /** Settles when the peer has taken the answers that were written, where later messages could overtake them. */
  answersSent?(): Promise<void>;
  /** Ends the connection; `reason` is the error of the calls that still wait. */
  close(reason?: Error): Promise<void>;
  /** The wire shape that was detected, where a transport has several. */
  readonly shape?: string | undefined;
  /** Settles with the first sign of life of a peer that this channel has started. */
  readonly started?: Promise<void> | undefined;
  /** Explains the silence of the peer, where the transport can. */
  explainSilence?(): Error | undefined;
  /** The failure to open a conversation over this channel, with what to do about it, where the transport can tell. */
  explainFailure?(error: Error): Promise<Error>;
  /** A request over this channel takes the `headers` of its options along, as over HTTP. */
  readonly carriesHeaders?: boolean | undefined;
}

/** One request that has arrived and is being answered. */
export interface IncomingRequest {
  readonly id: RequestId;
  readonly method: string;
  readonly params: JsonObject;
  /** The length of the text that brought it, in characters; 0 where the transport counts it itself. */
  readonly size: number;
  /** The request of ours on whose stream it came, where the transport knows it. */
  readonly relatedTo?: RequestId | undefined;
  /** Aborted when the sender cancels or the connection is lost. */
  readonly signal: AbortSignal;
  /** True once `signal` is aborted; reading it creates no signal. */
  readonly cancelled: boolean;
  /** True once the response is on its way. */
  readonly answered: boolean;
}

/** The receiving side of a connection: it handles the messages that arrive. */
export interface Receiver {
  /** Returns the result of a request; an error that it throws becomes an error response. */
  onRequest(request: IncomingRequest): unknown;
  /** `relatedTo` is the request of ours on whose stream it came, where the transport knows it. */
  onNotification(method: string, params: JsonObject, relatedTo?: RequestId): void;
  /** Called for a message that is broken, or answers nothing that was asked. */
  onUnusable?(): void;
  /** Reports a message that can't be used; the connection goes on. */
  onProblem(problem: Error): void;
  /** Called once, when the channel is closed. */
  onClose(reason: Error): void;
  /** Called when the server had lost the session and the channel has opened a new one. */
  onReconnected?(): void;
}

/** A wire tap, called with the text of each message as it is on the wire. */
export type Tap = (text: string, direction: MessageDirection) => void;

export type MessageDirection = "sent" | "received";
