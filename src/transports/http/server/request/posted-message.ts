import {
  encodeFailure,
  type InvalidMessage,
  isMalformedResponse,
  type MalformedResponse,
  type ParsedMessage,
  type RequestId,
} from "../../../../protocol/message.ts";
import { parseMessage } from "../../../../protocol/parse.ts";
import { jsonHeaders, sendClosingError, sendError } from "../error-response.ts";
import type { HttpReply, HttpRequest, ResponseHeaders } from "../http-interface.ts";
import { type BodyText, bodyEncoded, isEncoded } from "./body-limits.ts";

/** A message that a client has posted, or a response that fails the question which waits for it. */
export type PostedMessage = Exclude<ParsedMessage, InvalidMessage> | MalformedResponse;

/** Refuses a body that is not declared to be JSON; returns whether it did. */
export function refusesContentType(http: HttpRequest, reply: HttpReply): boolean {
  if (isJsonContentType(http.header("content-type"))) return false;
  sendError(reply, 415, "Content-Type must be application/json.");
  return true;
}

/**
 * Refuses a compressed body that could not be read; returns whether it did. A framework may have unpacked the body
 * before, and left the header.
 *
 * RFC 9110, 15.5.16
 */
function refusesEncoding(http: HttpRequest, reply: HttpReply): boolean {
  if (!isEncoded(http.header("content-encoding"))) return false;
  const { status, problem } = bodyEncoded;
  sendError(reply, status, problem, { headers: { "accept-encoding": "identity" } });
  return true;
}

interface Posted {
  readonly http: HttpRequest;
  readonly reply: HttpReply;
}

interface Receiver {
  readonly closing: { readonly aborted: boolean };
  readonly requestRevision: { unreadableId(http: HttpRequest): null | undefined };
}

/** Parses a body; undefined when it was refused. A server that closes takes only what belongs to running calls. */
export function readPostedMessage(
  body: BodyText,
  { http, reply }: Posted,
  { closing, requestRevision }: Receiver,
): PostedMessage | undefined {
  if (!body.ok) {
    if ((body.status === 400 || body.status === 415) && refusesEncoding(http, reply)) return undefined;
    const headers: ResponseHeaders = body.status === 503 ? { "retry-after": "5" } : {};
    sendError(reply, body.status, body.problem, { headers });
    return undefined;
  }
  const message = parseMessage(body.text);
  if (message.kind === "invalid") {
    if (refusesEncoding(http, reply)) return undefined;
    if (isMalformedResponse(message)) return message;
    if (message.isOneWay) refuseWithoutId(reply, message);
    else {
      const id = message.id ?? requestRevision.unreadableId(http);
      reply.send(400, jsonHeaders, encodeFailure(id, message.error));
    }
    return undefined;
  }
  if (closing.aborted && mayContainRequest(message)) {
    sendClosingError(reply, requestIdOf(message));
    return undefined;
  }
  return message;
}

/**
 * Refuses what was meant as a notification or a response. The error has no id.
 *
 * basic/transports#sending-messages-to-the-server (2025-11-25)
 */
export function refuseWithoutId(reply: HttpReply, { error }: InvalidMessage): void {
  reply.send(400, jsonHeaders, encodeFailure(undefined, error));
}

/** The id under which a message is refused, where it is a request. */
export function requestIdOf(message: PostedMessage): RequestId | undefined {
  return message.kind === "request" ? message.id : undefined;
}

/** True if a message may start a call, as opposed to one that belongs to a running call. */
export function mayContainRequest({ kind }: PostedMessage): boolean {
  return kind === "request" || kind === "batch";
}

/** True if a body is declared to be JSON, with no second media type beside it. */
export function isJsonContentType(contentType: string | undefined): boolean {
  if (contentType === "application/json") return true;
  return contentType !== undefined && /^\s*application\/json\s*(?:;[^,]*)?$/i.test(contentType);
}
