import type { InvalidMessage, RequestId, RpcNotification, RpcRequest } from "../protocol/message.ts";
import type { HeaderRecord } from "./channel.ts";

/** A two-way pipe of complete messages, as text that is not parsed yet. */
export interface Pipe {
  /** The name of the transport, such as `stdio`. */
  readonly kind: string;
  /** Messages that are written in one turn of the event loop may arrive in one piece. Default false. */
  readonly coalescesWrites?: boolean;
  /** Each request has a connection of its own, which closes when the request is given up. Default false. */
  readonly closesPerRequest?: boolean;
  /** Settles with the first output of the other side, where opening the pipe started it. */
  readonly started?: Promise<void>;
  /** Explains the silence of the other side, where the pipe can. */
  explainSilence?(): Error | undefined;
  /** Begins reading. Called once; messages that arrived before are delivered, too. */
  start(sink: PipeSink): void;
  /**
   * Writes one encoded message, in order.
   *
   * Backpressure: returns a promise only when the reader is behind. It settles once there is room
   * again, or rejects when the pipe is closed. A request is rejected with the same error.
   *
   * `message` is the parsed text, for pipes that route messages differently; absent for responses.
   * `headers` go with a request over pipes that carry headers; others ignore them.
   */
  write(text: string, message?: RpcRequest | RpcNotification, headers?: HeaderRecord): void | Promise<void>;
  /** Backpressure: reads no more messages until the promise settles. Absent where reading can't be paused. */
  pauseUntil?(ready: Promise<unknown>): void;
  /** Called when a request that was written here is over: answered, or given up by us. */
  settled?(id: RequestId, by: "answer" | "us"): void;
  /** Stops reading and releases the resources of the pipe. Safe to call twice. */
  close(): Promise<void>;
}

/** The receiver of everything that arrives over a pipe. */
export interface PipeSink {
  /**
   * Receives one message. `inReplyTo` is the request it belongs to, whatever its id, where the pipe knows.
   * `relatedTo` is the request on whose stream it came, where each request has one.
   */
  onText(text: string, inReplyTo?: RequestId, relatedTo?: RequestId): void;
  /**
   * Receives the report of a frame that could not become text: too long, or not UTF-8.
   *
   * `problem.id` is its id, if that could be found, and `isResponse` is true
   * for a response, so that only the request it belongs to fails.
   */
  onUnreadable(problem: InvalidMessage, isResponse: boolean): void;
  /** Receives output outside the protocol that was skipped, such as log lines on stdout. */
  onStrayOutput(text: string): void;
  /** Receives a sign of life that is not a message: bytes of the answer to this request, or for all requests. */
  onActivity?(id?: RequestId): void;
  /** Stops the idle deadlines of requests, while the silence is not the peer's, until the returned function is called. */
  hold?(): () => void;
  /** The time that a request which was written here has left, in milliseconds. */
  timeLeft?(id: RequestId): number;
  /** Called once, when the pipe is closed; `error` is the reason unless `close` was called. */
  onClose(error?: Error): void;
}
