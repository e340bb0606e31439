import type { ServerHeldError, ServerUnavailableError } from "./errors/host-errors.ts";
import { McpError } from "./errors/mcp-error.ts";
import { OverloadedError } from "./errors/overloaded-error.ts";

export { McpError, OverloadedError };

/** The `error` member of a JSON-RPC response. */
export interface ErrorObject {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** An error response of the peer. `wireCode` and `data` are the peer's. */
export class RpcError extends McpError {
  readonly code = "rpc";
  readonly wireCode: number;
  readonly data: unknown;
  /** True when a server sent it: its text must not be passed on to other callers. */
  readonly isReceived: boolean;

  constructor(
    wireCode: number,
    message: string,
    data?: unknown,
    options: ErrorOptions & { readonly isReceived?: boolean } = {},
  ) {
    super(message, options);
    this.wireCode = wireCode;
    this.data = data;
    this.isReceived = options.isReceived ?? false;
  }

  toErrorObject(): ErrorObject {
    const { wireCode: code, message, data } = this;
    return data === undefined ? { code, message } : { code, message, data };
  }
}

/** An error that a tool throws on purpose: the model reads its message. Other errors are masked. */
export class ToolError extends McpError {
  readonly code = "tool";
}

export class ConnectionClosedError extends McpError {
  readonly code = "connection-closed";
}

/**
 * A call whose response can't come any more, because its connection or its session was lost.
 *
 * The client itself goes on, and the next call may succeed.
 */
export class CallLostError extends McpError {
  readonly code = "call-lost";
  readonly lost: "connection" | "session";
  /** True when the call certainly was not carried out; if false, it may have been. */
  readonly mayRetry: boolean;

  constructor(message: string, loss: CallLoss, options?: ErrorOptions) {
    super(message, options);
    this.lost = loss.lost;
    this.mayRetry = loss.mayRetry;
  }
}

export interface CallLoss {
  readonly lost: "connection" | "session";
  readonly mayRetry: boolean;
}

/** An HTTP status that the server sent instead of a message. */
export class HttpError extends McpError {
  readonly code = "http";
  readonly status: number;
  /** The response headers that show what to do next: `www-authenticate`, `retry-after`, `location`. */
  readonly headers: { readonly [name: string]: string };

  constructor(message: string, details: HttpErrorDetails, options?: ErrorOptions) {
    super(message, options);
    this.status = details.status;
    this.headers = details.headers ?? {};
  }
}

export interface HttpErrorDetails {
  readonly status: number;
  readonly headers?: { readonly [name: string]: string };
}

/** One step of an authorization flow, without secrets. */
export interface AuthHop {
  /** The name of the step: `"resource-metadata"`, `"token"`, `"refresh"`. */
  readonly step: string;
  /** The URL of the request, without its query. */
  readonly url?: string;
  readonly outcome: "ok" | "absent" | "refused" | "failed";
  readonly detail?: string;
}

/** A failed authorization that the client can't repair by itself. */
export class AuthorizationError extends McpError {
  readonly code = "authorization";
  readonly reason: AuthorizationFailure;
  /** The steps taken until then. */
  readonly hops: readonly AuthHop[];

  constructor(
    message: string,
    reason: AuthorizationFailure,
    options: ErrorOptions & { readonly hops?: readonly AuthHop[] } = {},
  ) {
    super(message, options);
    this.reason = reason;
    this.hops = options.hops ?? [];
  }
}

/**
 * The reason of a failed authorization.
 *
 * `discovery`: the authorization server could not be found. `unsafe-address`: a URL that must not be
 * requested. `metadata`: the servers' metadata contradicts itself or lacks PKCE.
 * `registration`: the client could not be registered. `login`: the user did not log in, or the
 * redirect does not belong to this login. `refused`: the authorization server, or the server, refused.
 * `unreachable`: a server did not answer; credentials are kept, and a retry may succeed.
 */
export type AuthorizationFailure =
  | "discovery"
  | "unsafe-address"
  | "metadata"
  | "registration"
  | "login"
  | "refused"
  | "unreachable";

/** A call needs more scopes than could be obtained. */
export class InsufficientScopeError extends McpError {
  readonly code = "insufficient-scope";
  /** The scopes that the server asked for. */
  readonly scopes: readonly string[];

  constructor(message: string, scopes: readonly string[], options?: ErrorOptions) {
    super(message, options);
    this.scopes = scopes;
  }
}

/** A call that outlived its `idle` or `total` limit. The connection goes on. */
export class TimeoutError extends McpError {
  readonly code = "timeout";
  readonly limit: "idle" | "total";
  readonly ms: number;

  /** `option` is the name of the option that sets the limit; `cause` explains the silence. */
  constructor(
    what: string,
    limit: "idle" | "total",
    ms: number,
    {
      option = `timeout.${limit}`,
      cause,
    }: { readonly option?: string; readonly cause?: Error | undefined } = {},
  ) {
    const rule = limit === "idle" ? "without a sign of life" : "in total";
    const message = `${what} took longer than ${Math.round(ms)} ms ${rule}; raise ${option} if it may.`;
    super(cause ? `${message} ${cause.message}` : message, cause && { cause });
    this.limit = limit;
    this.ms = ms;
  }
}

export class CancelledError extends McpError {
  readonly code = "cancelled";
}

/** A feature needs capabilities that the other side did not declare. */
export class CapabilityError extends McpError {
  readonly code = "capability-missing";
  /** The first of `capabilities`. */
  readonly capability: string;
  /** All that are missing. */
  readonly capabilities: readonly string[];
  readonly lackedBy: "client" | "server";

  /** `advice` explains how they are declared. */
  constructor(
    missing: string | readonly string[],
    lackedBy: "client" | "server",
    what: string,
    { advice, ...options }: ErrorOptions & { readonly advice?: string } = {},
  ) {
    const names = typeof missing === "string" ? [missing] : missing;
    const listed = names.map((name) => `"${name}"`).join(" and ");
    const noun = names.length > 1 ? "capabilities" : "capability";
    const problem = `${what} needs the ${noun} ${listed}, which the ${lackedBy} does not declare`;
    super(advice === undefined ? `${problem}.` : `${problem}; ${advice}.`, options);
    this.capability = names[0] ?? "";
    this.capabilities = names;
    this.lackedBy = lackedBy;
  }
}

/** The negotiated revision does not have the feature. */
export class NotInRevisionError extends McpError {
  readonly code = "not-in-revision";
  readonly revision: string;

  constructor(what: string, revision: string) {
    super(`${what} does not exist in revision ${revision}.`);
    this.revision = revision;
  }
}

export class UnsupportedRevisionError extends McpError {
  readonly code = "unsupported-revision";
  readonly supported: readonly string[];
  readonly requested: string;

  /** `cause` is the error by which the peer refused, where it named no revisions. */
  constructor(requested: string, supported: readonly string[], options?: { readonly cause?: Error }) {
    const answer =
      options?.cause && supported.length === 0
        ? `the peer answered: ${options.cause.message}`
        : `the peer supports ${supported.join(", ") || "none"}.`;
    super(`No common protocol revision: asked for ${requested}, ${answer}`, options);
    this.requested = requested;
    this.supported = supported;
  }
}

/** A response that no revision allows. */
export class InvalidResponseError extends McpError {
  readonly code = "invalid-response";
}

/** A message that was too large to read; only the request it belongs to fails. */
export class MessageTooLargeError extends McpError {
  readonly code = "message-too-large";
  readonly id: string | number | undefined;

  constructor(maxBytes: number, id: string | number | undefined) {
    super(`Message is larger than ${maxBytes} bytes; raise maxMessageBytes if it may be.`);
    this.id = id;
  }
}

/** The child process of a stdio connection could not be started or has ended. */
export class ProcessError extends McpError {
  readonly code = "process";
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stderr: readonly string[];

  constructor(message: string, exit: ProcessExit, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exit.exitCode;
    this.signal = exit.signal;
    this.stderr = exit.stderr;
  }
}

export interface ProcessExit {
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** The last lines that the process wrote to stderr. */
  readonly stderr: readonly string[];
}

/** A tool call that the host's `consent` refused; the tool was not called. */
export class ConsentRefusedError extends McpError {
  readonly code = "consent-refused";
}

/** A tool that changed since it was pinned, or that takes the name of another; it was not called. */
export class ToolHeldError extends McpError {
  readonly code = "tool-held";
  /** The differences, line by line, for a person to read. */
  readonly diff: readonly string[];

  constructor(message: string, diff: readonly string[]) {
    super(message);
    this.diff = diff;
  }
}

/** A return value of a handler that can't be sent: its schema, JSON or clients refuse it. */
export class InvalidOutputError extends McpError {
  readonly code = "invalid-output";
}

/**
 * A handler that can't be replayed: it asks another question than before
 * (`changed`), caught the suspension and continued (`swallowed`), asks too often (`rounds`),
 * or asks inside `once` (`within-once`).
 */
export class ReplayError extends McpError {
  readonly code = "replay";
  readonly reason: "changed" | "swallowed" | "rounds" | "within-once";

  constructor(reason: ReplayError["reason"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** A page that the user must visit before a call can succeed. */
export interface RequiredUrlElicitation {
  readonly message: string;
  readonly url: string;
  /** The `elicitationId` of the notification that the elicitation is complete. Default: a random one. */
  readonly id?: string | undefined;
}

/**
 * An error that a handler throws when the user must visit a page first, such as a login page.
 *
 * The client receives the elicitation in the form of its revision, and calls again.
 * client/elicitation#url-elicitation-required-error (2025-11-25)
 */
export class UrlElicitationRequiredError extends McpError {
  readonly code = "url-elicitation-required";
  readonly elicitations: readonly (RequiredUrlElicitation & { readonly id: string })[];

  constructor(elicitations: readonly RequiredUrlElicitation[], options?: ErrorOptions) {
    super(elicitations.map(({ message, url }) => `${message} ${url}`).join(" "), options);
    this.elicitations = elicitations.map(({ message, url, id }) => ({
      message,
      url,
      id: id ?? crypto.randomUUID(),
    }));
  }
}

/** Data in the store that a newer version of this library has written. */
export class StoredFormatError extends McpError {
  readonly code = "stored-format";
}

/** An error that a resource handler throws for an unknown URI; it is sent with the error code of the caller's revision. */
export class ResourceNotFoundError extends McpError {
  readonly code = "resource-not-found";
  readonly uri: string;

  constructor(uri: string) {
    super(`Resource not found: ${uri}`);
    this.uri = uri;
  }
}

/** An error of a handler or listener that the host gave to the client; what it threw is the `cause`. */
export class HandlerError extends McpError {
  readonly code = "handler";
}

/** A tool, resource or prompt that can't be registered as it is. */
export class RegistrationError extends McpError {
  readonly code = "registration";
}

/** An invalid option or argument of a call into this library. */
export class UsageError extends McpError {
  readonly code = "usage";
}

export type AnyMcpError =
  | RpcError
  | ToolError
  | ConnectionClosedError
  | CallLostError
  | HttpError
  | AuthorizationError
  | InsufficientScopeError
  | TimeoutError
  | CancelledError
  | CapabilityError
  | NotInRevisionError
  | UnsupportedRevisionError
  | InvalidResponseError
  | MessageTooLargeError
  | ProcessError
  | ConsentRefusedError
  | ToolHeldError
  | ServerUnavailableError
  | ServerHeldError
  | InvalidOutputError
  | ReplayError
  | UrlElicitationRequiredError
  | OverloadedError
  | StoredFormatError
  | ResourceNotFoundError
  | HandlerError
  | RegistrationError
  | UsageError;
