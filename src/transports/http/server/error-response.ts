import { OverloadedError, RpcError } from "../../../errors.ts";
import { LimitCode, retryAfterMsOf, toOverloadError } from "../../../protocol/limit-error.ts";
import { encodeFailure, type RequestId } from "../../../protocol/message.ts";
import { WireCode } from "../../../protocol/wire-error.ts";
import type { HttpReply, ResponseHeaders } from "./http-interface.ts";

export const jsonHeaders: ResponseHeaders = { "content-type": "application/json" };

interface Refusal {
  /** The id of the refused request, if it was read. */
  readonly id?: RequestId | undefined;
  readonly headers?: ResponseHeaders;
}

/**
 * Refuses a request before it becomes a call. The body is JSON-RPC, so that clients can read the reason; without an id,
 * if the request was refused unread.
 *
 * basic/transports#sending-messages-to-the-server (2025-03-26)
 */
export function sendError(
  reply: HttpReply,
  status: number,
  message: string,
  { id, headers }: Refusal = {},
): void {
  const body = encodeFailure(id, { code: WireCode.invalidRequest, message });
  reply.send(status, { ...jsonHeaders, ...headers }, body);
}

export function sendClosingError(reply: HttpReply, id?: RequestId): void {
  sendError(reply, 503, "The server is closing.", { id, headers: { "retry-after": "1" } });
}

/**
 * Refuses a request with an error of the protocol; without an id, if it was refused unread. An error that goes away by
 * itself has a status of its own.
 */
export function sendRpcError(reply: HttpReply, status: number, error: RpcError, id?: RequestId): void {
  const own = retryAfterMsOf(error) === undefined ? status : error.wireCode;
  reply.send(own, toErrorHeaders(error), encodeFailure(id, error.toErrorObject()));
}

/** The headers of an error response: with Retry-After, where the error goes away by itself. */
export function toErrorHeaders(error: RpcError): ResponseHeaders {
  const ms = retryAfterMsOf(error);
  return ms === undefined ? jsonHeaders : { ...jsonHeaders, "retry-after": String(Math.ceil(ms / 1000)) };
}

/**
 * The HTTP status of an error in the revision without sessions.
 *
 * basic/transports/streamable-http#protocol-version-header (2026-07-28)
 */
export function toHttpStatus(error: RpcError): number {
  switch (error.wireCode) {
    case WireCode.methodNotFound:
      return 404;
    case WireCode.headerMismatch:
    case WireCode.missingClientCapability:
    case WireCode.unsupportedRevision:
      return 400;
    case LimitCode.tooMany:
    case LimitCode.overloaded:
      return error.wireCode;
    default:
      return 200;
  }
}

/** The error that a client may see; one that was not meant for it shows nothing. */
export function toPublicRpcError(error: unknown): RpcError {
  if (error instanceof RpcError) return error;
  return error instanceof OverloadedError
    ? toOverloadError(error)
    : new RpcError(WireCode.internal, "Internal error");
}
