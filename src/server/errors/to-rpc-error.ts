import type { Call } from "../../contract/call.ts";
import type { RpcError } from "../../errors.ts";
import { andThen, type MaybePromise } from "../../lib/async/maybe-promise.ts";
import { callPart, type OnDemand } from "../../lib/async/on-demand.ts";
import type { LogSink } from "../log.ts";
import { isClientRefusal, isLocalRpcError } from "./rpc-error-origin.ts";

/** The words for the errors of handlers, loaded with the first: servers start faster without them. */
export const handlerErrors: OnDemand<typeof import("./handler-error.ts")> = callPart(
  () => import("./handler-error.ts"),
);

/** The JSON-RPC error for anything that a handler threw. */
export function toRpcError(error: unknown, call: Call, log: LogSink): MaybePromise<RpcError> {
  if (isLocalRpcError(error) && !isClientRefusal(error)) return error;
  return handlerErrors.use(({ explainError }) => explainError(error, call, log));
}

/** Throws what a handler threw, as a JSON-RPC error. */
export function rethrowAsRpcError(error: unknown, call: Call, log: LogSink): MaybePromise<never> {
  return andThen(toRpcError(error, call, log), (explained) => {
    throw explained;
  });
}
