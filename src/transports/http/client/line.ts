import type { PipeSink } from "../../../peer/pipe.ts";
import type { RpcNotification, RpcRequest } from "../../../protocol/message.ts";
import type { MirroredParam } from "../../../protocol/mirrored-params.ts";
import type { Revision } from "../../../protocol/revision.ts";
import type { Pending } from "./pending.ts";
import type { StreamLimits } from "./read-events.ts";
import type { Refusal } from "./refusal.ts";
import type { Sender } from "./sender.ts";

/** One of the ways in which HTTP carries messages. */
export interface Line {
  /** Settles when the request is answered; gives what the server sent instead if it refused. */
  request(text: string, message: RpcRequest, pending: Pending): Promise<Refusal | undefined>;
  /** Sends what wants no answer: a notification, or an answer of ours. */
  tell(text: string, message?: RpcNotification): Promise<void>;
  close(): Promise<void>;
}

/** What all lines to one server have in common. */
export interface LineParts extends StreamLimits {
  readonly url: URL;
  readonly sender: Sender;
  readonly closeMs: number;
  /** Aborted when the channel closes. */
  readonly closing: AbortSignal;
  /** What is being sent that wants no answer; aborted then as well. One signal is not for so many to listen to. */
  readonly telling: Set<AbortController>;
  readonly sink: PipeSink;
  revision(): Revision | undefined;
  /** The arguments of a call that are repeated in headers. */
  mirrored(message: RpcRequest): readonly MirroredParam[];
  onProblem(problem: Error): void;
  /** The server has forgotten what was agreed on over a line. */
  onLost(line: Line): void;
}

export const postHeaders = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
} as const;
