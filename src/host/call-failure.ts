import { ServerHeldError, ServerUnavailableError } from "../errors/host-errors.ts";
import {
  CallLostError,
  CapabilityError,
  ConnectionClosedError,
  ConsentRefusedError,
  OverloadedError,
  ProcessError,
  RpcError,
  TimeoutError,
  ToolHeldError,
} from "../errors.ts";
import { isObject } from "../lib/json.ts";
import type { HostAuditEntry } from "./audit-entry.ts";

/** The sentence that a model reads about a call without a result: nothing of paths, programs, addresses and options. */
export function describeFailure(server: string, error: Error): string {
  const lacked = lackedBy(error);
  if (lacked !== undefined)
    return `The server "${server}" can't run this call here: it needs to ${lacked}, which this program does not support. Do not repeat it.`;
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

/** The words for what a server needs of its client, by the capability. */
const needs: ReadonlyMap<string, string> = new Map([
  ["elicitation", "ask the user"],
  ["sampling", "ask a model"],
  ["roots", "know the folders of the user"],
]);

/** The words for what the host lacks, where only its author can help: the error names the option. */
function lackedBy(error: Error): string | undefined {
  const { requiredCapabilities: required } =
    error instanceof RpcError && isObject(error.data) ? error.data : {};
  const isLack = isObject(required) || (error instanceof CapabilityError && error.lackedBy === "client");
  if (!isLack) return undefined;
  const [first = ""] = isObject(required) ? Object.keys(required) : (error as CapabilityError).capabilities;
  return needs.get(first.split(".")[0] ?? "") ?? "use more of its client";
}

function isGone(error: Error): boolean {
  return (
    error instanceof ServerUnavailableError ||
    error instanceof ConnectionClosedError ||
    error instanceof CallLostError ||
    error instanceof ProcessError
  );
}
