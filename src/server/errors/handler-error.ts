import type { Call } from "../../contract/call.ts";
import { expectElicitation } from "../../contract/server-event.ts";
import {
  CapabilityError,
  InvalidResponseError,
  NotInRevisionError,
  OverloadedError,
  ReplayError,
  ResourceNotFoundError,
  RpcError,
  ToolError,
  UrlElicitationRequiredError,
} from "../../errors.ts";
import type { JsonObject } from "../../lib/json.ts";
import { toOverloadError } from "../../protocol/limit-error.ts";
import { hasCapability } from "../../protocol/model/identity.ts";
import { WireCode } from "../../protocol/wire-error.ts";
import { errorResult } from "../define/text-result.ts";
import type { LogSink } from "../log.ts";
import type { MethodCall } from "../methods/method-call.ts";
import { missingCapability } from "./capability-error.ts";
import { isClientRefusal, isLackOfCaller, isLocalRpcError } from "./rpc-error-origin.ts";

/** The JSON-RPC error for anything that a handler threw, but an RpcError of its own. */
export function explainError(error: unknown, call: Call, log: LogSink): RpcError {
  if (isLocalRpcError(error)) {
    // The client knows what it refused; without this entry the operators would not.
    log({ message: `${call.method} failed because the client refused a request`, cause: error });
    // As the answer to the call itself, this code would mean that the server lacks the method.
    if (error.wireCode !== WireCode.methodNotFound) return error;
    const message = `The client refused a request of this call: ${error.message}`;
    return new RpcError(WireCode.internal, message, undefined, { cause: error });
  }
  // The answer is not sent, and an error after an abort is not a failure, so nothing is logged.
  if (call.signal.aborted) return new RpcError(WireCode.internal, "The call was cancelled.");
  if (isLackOfCaller(error)) return missingCapability(error, call);
  if (error instanceof ResourceNotFoundError) return resourceNotFound(error, call);
  if (error instanceof OverloadedError) {
    log({ message: `${call.method} failed: the store is full or does not answer`, cause: error });
    return toOverloadError(error);
  }
  if (isUrlElicitationError(error, call)) return toUrlElicitationError(error, call);
  return new RpcError(WireCode.internal, publicMessage(error, call.method, log), undefined, { cause: error });
}

/** Makes a result of the error of a tool, so that the model can read it: server/tools#error-handling (2025-11-25). */
export function toFailedResult(error: unknown, what: string, { catalog, call }: MethodCall): JsonObject {
  if (isUrlElicitationError(error, call) || call.signal.aborted) throw error;
  if (error instanceof OverloadedError) throw error;
  const rounds = call.revision.asking === "rounds";
  if (rounds && error instanceof CapabilityError && error.lackedBy === "client") throw error;
  return errorResult(publicMessage(error, what, catalog.settings.log));
}

/** The message that a caller may read: that of an error thrown on purpose, or a reference to the log. */
function publicMessage(error: unknown, what: string, log: LogSink): string {
  if (isMeantForCaller(error)) return error.message;
  if (error instanceof InvalidResponseError && isClientRefusal(error)) {
    log({ message: `${what} failed because the client's answer can't be used`, cause: error });
    return error.message;
  }
  if (error instanceof ReplayError) {
    // Only the author can mend it, so it is logged too.
    log({ message: `${what} can't be replayed`, cause: error });
    return error.message;
  }
  const ref = crypto.randomUUID().slice(0, 8);
  log({ message: `${what} failed`, ref, cause: error });
  return `Internal error (ref ${ref})`;
}

function isMeantForCaller(error: unknown): error is Error {
  return (
    error instanceof ToolError ||
    error instanceof CapabilityError ||
    error instanceof NotInRevisionError ||
    error instanceof UrlElicitationRequiredError
  );
}

/**
 * -32002 by server/resources#error-handling (2025-11-25), -32602 by server/resources#error-handling (2026-07-28).
 */
function resourceNotFound(error: ResourceNotFoundError, call: Call): RpcError {
  return new RpcError(call.revision.missingResourceCode, error.message, { uri: error.uri }, { cause: error });
}

/**
 * True where this error is answered with -32042: the revision has the code, and the client shows pages.
 *
 * client/elicitation#url-elicitation-required-error (2025-11-25)
 */
function isUrlElicitationError(
  error: unknown,
  { revision, client }: Call,
): error is UrlElicitationRequiredError {
  if (!(error instanceof UrlElicitationRequiredError) || !revision.hasElicitationIds) return false;
  return hasCapability(client.capabilities, "elicitation.url");
}

function toUrlElicitationError(error: UrlElicitationRequiredError, { session }: Call): RpcError {
  if (session) for (const { id } of error.elicitations) expectElicitation(session, id);
  const elicitations = error.elicitations.map(({ id, ...rest }) => ({
    mode: "url",
    elicitationId: id,
    ...rest,
  }));
  const { urlElicitationRequired } = WireCode;
  return new RpcError(urlElicitationRequired, error.message, { elicitations }, { cause: error });
}
