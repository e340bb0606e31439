import type { PipeSink } from "../../../../contract/pipe.ts";
import type { RpcNotification, RpcRequest } from "../../../../protocol/message.ts";
import type { Revision } from "../../../../protocol/revision.ts";
import type { AuthorizedFetch } from "../fetch/authorized-fetch.ts";
import type { HttpErrorResponse } from "../fetch/error-response.ts";
import type { EventStreamLimits } from "../fetch/read-event-stream.ts";
import type { OpenRequest } from "./open-request.ts";

/** One of the ways in which HTTP carries messages. */
export interface HttpShape {
  /** Settles when the request is answered; gives the response if the server refused. */
  request(text: string, message: RpcRequest, open: OpenRequest): Promise<HttpErrorResponse | undefined>;
  /** Sends a message that has no answer: a notification, or a response of ours. */
  post(text: string, message?: RpcNotification): Promise<void>;
  close(): Promise<void>;
}

/** The parts that all shapes of one connection share. */
export interface ShapeParts extends EventStreamLimits {
  readonly url: URL;
  readonly http: AuthorizedFetch;
  readonly closeMs: number;
  /** Aborted when the channel closes. */
  readonly closing: AbortSignal;
  /**
   * One-way posts that are under way; they are aborted too when the channel closes. Each has its own controller, because
   * one shared signal would collect too many listeners.
   */
  readonly openPosts: Set<AbortController>;
  readonly sink: PipeSink;
  revision(): Revision | undefined;
  onProblem(problem: Error): void;
  /** The server has forgotten the session that was opened in this shape. */
  onLost(shape: HttpShape): void;
}

export const postHeaders = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
} as const;
