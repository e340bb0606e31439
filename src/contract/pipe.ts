import type { InvalidMessage, RequestId, RpcNotification, RpcRequest } from "../protocol/message.ts";
import type { HeaderRecord } from "./channel.ts";

/** A two-way pipe of whole messages, framed and decoded, not yet parsed. */
export interface Pipe {
  /** The name of the transport, such as `stdio`. */
  readonly kind: string;
  /** Messages that are written in one turn of the event loop may arrive in one piece. Default false. */
  readonly coalescesWrites?: boolean;
  /** Begins reading. Called once; nothing is lost before. */
  start(sink: PipeSink): void;
  /**
   * Hands over one encoded message, in order.
   *
   * Returns a promise only when the reader is behind; it settles once there is room
   * again, or rejects when the pipe is gone. A request is rejected with what this rejects with.
   *
   * `message` is what the text says, for pipes that carry messages differently; absent for answers.
   * `headers` go with a request over pipes that carry headers; others ignore them.
   */
  write(text: string, message?: RpcRequest | RpcNotification, headers?: HeaderRecord): void | Promise<void>;
  /** A request that was written here is over: answered, or given up by us. */
  settled?(id: RequestId, by: "answer" | "us"): void;
  /** Stops reading and lets go of what the pipe holds. Safe to call twice. */
  close(): Promise<void>;
}

/** Where a pipe delivers what arrives. */
export interface PipeSink {
  /** `inReplyTo` is the request that the text belongs to, whatever it says, where the pipe knows. */
  onText(text: string, inReplyTo?: RequestId): void;
  /**
   * A frame that could not become text: too long, or not UTF-8.
   *
   * `problem.id` is the id it carried, if that could be made out, and `answers`
   * whether it was a response, so that only the request it belongs to fails.
   */
  onUnreadable(problem: InvalidMessage, answers: boolean): void;
  /** Something outside the protocol that was skipped, such as noise on stdout. */
  onNoise(text: string): void;
  /** Stops counting the silence of requests, which is not the peer's, until the returned function is called. */
  hold?(): () => void;
  /** The pipe is gone, once; `error` says why when it was not asked for. */
  onClose(error?: Error): void;
}
