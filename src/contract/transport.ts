import type { Revision } from "../protocol/revision.ts";
import type { Channel, MessageDirection, Receiver, Tap } from "./channel.ts";
import type { Pipe } from "./pipe.ts";

/** The head of an HTTP request or response: its first line, and its headers. */
export interface HttpHead {
  readonly line: string;
  readonly headers: Iterable<readonly [string, string]>;
}

export interface OpenOptions {
  readonly receiver: Receiver;
  /** Returns the negotiated revision; undefined before. */
  readonly revision?: () => Revision | undefined;
  readonly tap?: Tap | undefined;
  /** Shows what the tap does not see: the heads of HTTP requests and responses. */
  readonly showHead?: ((head: HttpHead, direction: MessageDirection) => void) | undefined;
  /** Puts something around each pipe of the connection, between the wire and JSON-RPC. */
  readonly wrapPipe?: ((pipe: Pipe) => Pipe) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Stops the deadline of opening while a user is asked, until the returned function is called. */
  readonly hold?: (() => () => void) | undefined;
  /** The wire shape that was detected last time; only a hint. */
  readonly shape?: string | undefined;
}

/** A way to connect to a server. Each `open` makes a new connection: a new process, a new socket. */
export interface Transport {
  readonly kind: string;
  /** The stable address of the server, if it has one. */
  readonly address?: string;
  open(options: OpenOptions): Promise<Channel>;
}
