import type { PipeSink } from "../../../../contract/pipe.ts";
import type { RpcNotification, RpcRequest } from "../../../../protocol/message.ts";
import type { Revision } from "../../../../protocol/revision.ts";
import type { AuthorizedFetch } from "../fetch/authorized-fetch.ts";
import type { HttpErrorResponse } from "../fetch/error-response.ts";
import type { StreamLimits } from "../fetch/read-event-stream.ts";
import type { OpenRequest } from "./open-request.ts";

/** One of the ways in which HTTP carries messages. */
export interface HttpShape {
  /** Settles when the request is answered; gives what the server sent instead if it refused. */
  request(text: string, message: RpcRequest, pending: OpenRequest): Promise<HttpErrorResponse | undefined>;
  /** Sends what wants no answer: a notification, or an answer of ours. */
  post(text: string, message?: RpcNotification): Promise<void>;
  close(): Promise<void>;
}

/** What all lines to one server have in common. */
export interface ShapeParts extends StreamLimits {
  readonly url: URL;
  readonly sender: AuthorizedFetch;
  readonly closeMs: number;
  /** Aborted when the channel closes. */
  readonly closing: AbortSignal;
  /** What is being sent that wants no answer; aborted then as well. One signal is not for so many to listen to. */
  readonly openPosts: Set<AbortController>;
  readonly sink: PipeSink;
  revision(): Revision | undefined;
  onProblem(problem: Error): void;
  /** The server has forgotten what was agreed on over a line. */
  onLost(line: HttpShape): void;
}

export const postHeaders = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
} as const;
