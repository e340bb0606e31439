import type { Call } from "../../contract/call.ts";
import { type CapabilityError, RpcError } from "../../errors.ts";
import { toCapabilities } from "../../protocol/model/identity.ts";
import { WireCode } from "../../protocol/wire-error.ts";

/**
 * The error for a client that lacks what a call needs, with the code that its revision has for it.
 *
 * basic#meta (2026-07-28)
 */
export function missingCapability(error: CapabilityError, { revision }: Call): RpcError {
  const isPerRequest = revision.opening === "each-request";
  return toCapabilityError(error, isPerRequest ? WireCode.missingClientCapability : WireCode.invalidRequest);
}

/** The error that names the missing capabilities in its data. */
export function toCapabilityError(error: CapabilityError, code: number): RpcError {
  const data = { requiredCapabilities: toCapabilities(error.capabilities) };
  return new RpcError(code, error.message, data, { cause: error });
}
