import { RpcError } from "../errors.ts";
import { isObject } from "../lib/json.ts";
import { WireCode } from "./wire-error.ts";

/** The answer to a call whose node is gone, in its place. `retryable` is true where a repetition does no harm. */
export function lostCallError(retryable: boolean): RpcError {
  const advice = retryable
    ? "it may be repeated"
    : "it may have had effects, so repeat it only if that does no harm";
  return new RpcError(WireCode.internal, `The node that ran this call is gone; ${advice}.`, {
    callLost: true,
    retryable,
  });
}

/** True for the answer to a call whose node is gone: nobody knows whether it was carried out. */
export function isLostCallError({ wireCode, data }: RpcError): boolean {
  if (wireCode !== WireCode.internal || !isObject(data)) return false;
  return data.callLost === true && typeof data.retryable === "boolean";
}
