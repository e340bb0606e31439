import { CapabilityError, type ErrorObject, NotInRevisionError, RpcError } from "../errors.ts";
import { WireCode } from "../protocol/wire-error.ts";

/** What the other side may know of an error. Only what was meant for the wire goes there. */
export function toWireError(error: unknown): ErrorObject {
  if (error instanceof RpcError) return error.toErrorObject();
  if (error instanceof CapabilityError || error instanceof NotInRevisionError) {
    return { code: WireCode.invalidRequest, message: error.message };
  }
  return { code: WireCode.internal, message: "Internal error" };
}
