import type { JsonObject } from "../../lib/json.ts";
import type { RequestId } from "../../protocol/message.ts";
import type { ClientCapabilities } from "../../protocol/model/identity.ts";
import type { Agreement } from "../agreement.ts";
import type { ConnectOptions } from "../options.ts";
import type { CustomRequests } from "./custom-requests.ts";

/** A question of the server, sent as a request or as part of an unfinished result. */
export interface Ask {
  readonly method: string;
  readonly params: JsonObject;
  readonly signal: AbortSignal;
  /** The request of ours that it came with, where the transport knows it. */
  readonly relatedTo?: RequestId | undefined;
}

export type AskHandlers = Pick<ConnectOptions, "elicit" | "sample" | "roots">;

/** Finds the handlers for a question that is not for the host; throws if nobody can answer it. */
export type AskRoute = (ask: Ask) => AskHandlers | undefined;

/** The side of the client that questions are put to. */
export interface AskParts {
  readonly handlers: AskHandlers;
  readonly capabilities: ClientCapabilities;
  readonly agreement: Omit<Agreement, "channel">;
  readonly custom?: CustomRequests | undefined;
  readonly route?: AskRoute | undefined;
}
