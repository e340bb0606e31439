import type { Call } from "../contract/call.ts";
import { expectElicitation } from "../contract/server-event.ts";
import {
  CapabilityError,
  NotInRevisionError,
  OverloadedError,
  ReplayError,
  ResourceNotFoundError,
  RpcError,
  ToolError,
  UrlElicitationRequiredError,
} from "../errors.ts";
import { toOverloadError } from "../protocol/limit-error.ts";
import { hasCapability, toCapabilities } from "../protocol/model/identity.ts";
import { WireCode } from "../protocol/wire-error.ts";
import type { LogSink } from "./log.ts";
import { isClientRefusal } from "./replay/client-refusal.ts";

/** The message that a caller may read: that of an error thrown on purpose, or a reference to the log. */
export function publicMessage(error: unknown, what: string, log: LogSink): string {
  if (isMeantForCaller(error)) return error.message;
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

/** The JSON-RPC error for anything that a handler threw. */
export function toRpcError(error: unknown, call: Call, log: LogSink): RpcError {
  if (isLocalRpcError(error)) {
    // The client knows what it refused; without this entry the operators would not.
    if (!isClientRefusal(error)) return error;
    log({ message: `${call.method} failed because the client refused a request`, cause: error });
    // As the answer to the call itself, this code would say that the server lacks the method.
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
    return toOverloadError();
  }
  if (isUrlElicitationError(error, call)) return toUrlElicitationError(error, call);
  return new RpcError(WireCode.internal, publicMessage(error, call.method, log), undefined, { cause: error });
}

/** True for a capability that our caller lacks; one that another server missed in us is not its business. */
export function isLackOfCaller(error: unknown): error is CapabilityError {
  if (!(error instanceof CapabilityError) || error.lackedBy !== "client") return false;
  return !(error.cause instanceof RpcError && error.cause.isReceived);
}

function resourceNotFound(error: ResourceNotFoundError, call: Call): RpcError {
  return new RpcError(call.revision.missingResourceCode, error.message, { uri: error.uri }, { cause: error });
}

/**
 * True where this error is answered with -32042: the revision has the code, and the client shows pages.
 *
 * client/elicitation#url-elicitation-required-error (2025-11-25)
 */
export function isUrlElicitationError(
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

/** True for an RpcError thrown on purpose. One that a handler received from another server is not for our caller. */
export function isLocalRpcError(error: unknown): error is RpcError {
  return error instanceof RpcError && !error.isReceived;
}

/** The error for a client that lacks what a call needs, with the code that its revision has for it. */
export function missingCapability(error: CapabilityError, { revision }: Call): RpcError {
  const isPerRequest = revision.opening === "each-request";
  return toCapabilityError(error, isPerRequest ? WireCode.missingClientCapability : WireCode.invalidRequest);
}

/** The error that names the missing capabilities in its data. */
export function toCapabilityError(error: CapabilityError, code: number): RpcError {
  const data = { requiredCapabilities: toCapabilities(error.capabilities) };
  return new RpcError(code, error.message, data, { cause: error });
}
