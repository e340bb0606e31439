import { RpcError } from "../../errors.ts";

const refusals = new WeakSet<Error>();

/** Takes note that an error is what the client said instead of an answer. */
export function rethrowClientRefusal(error: unknown): never {
  if (error instanceof RpcError) refusals.add(error);
  throw error;
}

export function isClientRefusal(error: Error): boolean {
  return refusals.has(error);
}
