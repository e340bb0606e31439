import { encodeFailure, type InvalidMessage, type ParsedMessage } from "../../../../protocol/message.ts";
import { parseMessage } from "../../../../protocol/parse.ts";
import { jsonHeaders, sendClosingError, sendError } from "../error-response.ts";
import type { HttpReply, HttpRequest } from "../http-interface.ts";
import { isJsonContentType } from "./accept.ts";
import type { BodyText } from "./request-body.ts";

/** A message that a client has posted. */
export type PostedMessage = Exclude<ParsedMessage, InvalidMessage>;

/** Refuses a body that is not declared to be JSON; returns whether it did. */
export function refusesContentType(http: HttpRequest, reply: HttpReply): boolean {
  if (isJsonContentType(http.header("content-type"))) return false;
  sendError(reply, 415, "Content-Type must be application/json.");
  return true;
}

/** Parses a body; undefined when it was refused. A server that closes takes only what belongs to running calls. */
export function readPostedMessage(
  body: BodyText,
  reply: HttpReply,
  closing: { readonly aborted: boolean },
): PostedMessage | undefined {
  if (!body.ok) {
    sendError(reply, body.status, body.problem, body.status === 503 ? { "retry-after": "5" } : {});
    return undefined;
  }
  const message = parseMessage(body.text);
  if (message.kind === "invalid") {
    reply.send(400, jsonHeaders, encodeFailure(message.id, message.error));
    return undefined;
  }
  if (closing.aborted && mayContainRequest(message)) {
    sendClosingError(reply);
    return undefined;
  }
  return message;
}

/** Whether a message may start a call, as opposed to one that belongs to a running call. */
export function mayContainRequest({ kind }: PostedMessage): boolean {
  return kind === "request" || kind === "batch";
}
