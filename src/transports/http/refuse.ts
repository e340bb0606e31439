import { LimitCode, retryAfterMsOf } from "../../guard/limit-error.ts";
import { RpcError } from "../../protocol/errors.ts";
import { encodeFailure, type Incoming, type RequestId } from "../../protocol/message.ts";
import { WireCode } from "../../protocol/wire-error.ts";
import type { Headers, HttpReply } from "./exchange.ts";

export const jsonHeaders: Headers = { "content-type": "application/json" };

/** Refuses a request before it could become a call. Always JSON-RPC, so that clients can read why. */
export function refuse(reply: HttpReply, status: number, message: string, headers: Headers = {}): void {
  const body = encodeFailure(null, { code: WireCode.invalidRequest, message });
  reply.send(status, { ...jsonHeaders, ...headers }, body);
}

/** Whether a message begins something new, as opposed to what belongs to a call that is under way. */
export function bringsWork({ kind }: Incoming): boolean {
  return kind === "request" || kind === "batch";
}

export function refuseClosing(reply: HttpReply): void {
  refuse(reply, 503, "The server is closing.", { "retry-after": "1" });
}

/** Refuses with an error of the protocol. */
export function refuseCall(reply: HttpReply, status: number, error: RpcError, id: RequestId | null): void {
  reply.send(status, retryHeaders(error), encodeFailure(id, error.toErrorObject()));
}

/** The headers of an error: one that is over by itself says when. */
export function retryHeaders(error: RpcError): Headers {
  const ms = retryAfterMsOf(error);
  return ms === undefined ? jsonHeaders : { ...jsonHeaders, "retry-after": String(Math.ceil(ms / 1000)) };
}

/** The status that goes with an error, in the revision whose requests stand for themselves. */
export function statusOf(error: RpcError): number {
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
export function toRpc(error: unknown): RpcError {
  return error instanceof RpcError ? error : new RpcError(WireCode.internal, "Internal error");
}
