import { RpcError } from "../../../errors.ts";
import { LimitCode, retryAfterMsOf } from "../../../guard/limit-error.ts";
import { encodeFailure, type ParsedMessage, type RequestId } from "../../../protocol/message.ts";
import { WireCode } from "../../../protocol/wire-error.ts";
import type { HttpReply, ResponseHeaders } from "./http-interface.ts";

export const jsonHeaders: ResponseHeaders = { "content-type": "application/json" };

/** Refuses a request before it could become a call. Always JSON-RPC, so that clients can read why. */
export function sendError(
  reply: HttpReply,
  status: number,
  message: string,
  headers: ResponseHeaders = {},
): void {
  const body = encodeFailure(null, { code: WireCode.invalidRequest, message });
  reply.send(status, { ...jsonHeaders, ...headers }, body);
}

/** Whether a message begins something new, as opposed to what belongs to a call that is under way. */
export function mayContainRequest({ kind }: ParsedMessage): boolean {
  return kind === "request" || kind === "batch";
}

export function sendClosingError(reply: HttpReply): void {
  sendError(reply, 503, "The server is closing.", { "retry-after": "1" });
}

/** Refuses with an error of the protocol. */
export function sendRpcError(reply: HttpReply, status: number, error: RpcError, id: RequestId | null): void {
  reply.send(status, toErrorHeaders(error), encodeFailure(id, error.toErrorObject()));
}

/** The headers of an error: one that is over by itself says when. */
export function toErrorHeaders(error: RpcError): ResponseHeaders {
  const ms = retryAfterMsOf(error);
  return ms === undefined ? jsonHeaders : { ...jsonHeaders, "retry-after": String(Math.ceil(ms / 1000)) };
}

/** The status that goes with an error, in the revision whose requests stand for themselves. */
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

export function headerMismatch(message: string): RpcError {
  return new RpcError(WireCode.headerMismatch, `Header mismatch: ${message}`);
}

/** An error as the protocol knows it; one that nobody meant to show shows nothing. */
export function toPublicRpcError(error: unknown): RpcError {
  return error instanceof RpcError ? error : new RpcError(WireCode.internal, "Internal error");
}
