import { ServerHeldError, ServerUnavailableError } from "../errors/host-errors.ts";
import {
  CallLostError,
  ConnectionClosedError,
  ConsentRefusedError,
  OverloadedError,
  ProcessError,
  RpcError,
  TimeoutError,
  ToolHeldError,
} from "../errors.ts";
import type { HostAuditEntry } from "./audit.ts";

/** The sentence that a model reads about a call without a result: nothing of paths, programs and addresses. */
export function describeFailure(server: string, error: Error): string {
  if (error instanceof RpcError) return `The server "${server}" refused the call: ${error.message}`;
  if (error instanceof ConsentRefusedError) return "The user did not allow this call. Do not repeat it.";
  if (error instanceof ToolHeldError) return "This tool is held back until the user has looked at it.";
  if (error instanceof ServerHeldError)
    return `The server "${server}" is held back until the user has approved it.`;
  if (error instanceof OverloadedError) return `The server "${server}" is busy. Try again later.`;
  if (error instanceof TimeoutError) return `The server "${server}" did not answer in time.`;
  if (isGone(error)) return `The server "${server}" is not available.`;
  return `The server "${server}" failed to answer.`;
}

export function outcomeOf(error: Error): HostAuditEntry["outcome"] {
  const isRefused =
    error instanceof ConsentRefusedError ||
    error instanceof ToolHeldError ||
    error instanceof ServerHeldError ||
    error instanceof OverloadedError;
  return isRefused ? "refused" : "error";
}

function isGone(error: Error): boolean {
  return (
    error instanceof ServerUnavailableError ||
    error instanceof ConnectionClosedError ||
    error instanceof CallLostError ||
    error instanceof ProcessError
  );
}
