import { CapabilityError, InvalidResponseError, RpcError } from "../../errors.ts";

const refusals = new WeakSet<Error>();

/** Marks an error as the client's response to a question, refused or of no use, and throws it. */
export function rethrowClientRefusal(error: unknown): never {
  if (error instanceof RpcError || error instanceof InvalidResponseError) refusals.add(error);
  throw error;
}

export function isClientRefusal(error: Error): boolean {
  return refusals.has(error);
}

/** True for an RpcError thrown on purpose. One that a handler received from another server is not for our caller. */
export function isLocalRpcError(error: unknown): error is RpcError {
  return error instanceof RpcError && !error.isReceived;
}

/** True for a capability that our caller lacks; one that another server missed in us is not its business. */
export function isLackOfCaller(error: unknown): error is CapabilityError {
  if (!(error instanceof CapabilityError) || error.lackedBy !== "client") return false;
  return !(error.cause instanceof RpcError && error.cause.isReceived);
}
