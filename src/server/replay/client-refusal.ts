import { RpcError } from "../../errors.ts";

const refusals = new WeakSet<Error>();

/** Marks an RpcError as the client's response to a question, and throws it. */
export function rethrowClientRefusal(error: unknown): never {
  if (error instanceof RpcError) refusals.add(error);
  throw error;
}

export function isClientRefusal(error: Error): boolean {
  return refusals.has(error);
}
