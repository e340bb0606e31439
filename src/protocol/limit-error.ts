import { StoreUnavailableError } from "../errors/overloaded-error.ts";
import { type OverloadedError, RpcError } from "../errors.ts";
import { isObject } from "../lib/json.ts";

/**
 * Error codes of calls that were refused because of a limit, the same as the status over HTTP.
 *
 * Both lie outside of the range that JSON-RPC and the protocol keep for themselves.
 */
export const LimitCode = {
  /** The caller has used up its allowance. */
  tooMany: 429,
  /** The server has no room for more calls, from any caller. */
  overloaded: 503,
} as const;

export function limitReached(code: number, message: string, retryAfterMs: number): RpcError {
  const seconds = Math.ceil(retryAfterMs / 1000);
  return new RpcError(code, `${message}; try again in ${seconds} s.`, { retryAfterMs });
}

/** The time that the caller of a refused call should wait; undefined for an error that is not of a limit. */
export function retryAfterMsOf({ wireCode, data }: RpcError): number | undefined {
  if (wireCode !== LimitCode.tooMany && wireCode !== LimitCode.overloaded) return undefined;
  return isObject(data) && typeof data.retryAfterMs === "number" ? data.retryAfterMs : undefined;
}

const storeRetryMs = 5_000;

/** The error of a call that a full or unavailable store keeps from being answered. */
export function toOverloadError(error: OverloadedError): RpcError {
  const { retryAfterMs = storeRetryMs } = error;
  const does = error instanceof StoreUnavailableError ? "can't reach its store" : "can't store more now";
  return limitReached(LimitCode.overloaded, `The server ${does}`, retryAfterMs);
}
