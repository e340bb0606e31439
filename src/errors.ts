/**
 * Every error that allspeak itself throws, told apart by `code`.
 *
 * `switch (error.code)` over `AnyMcpError` narrows to the class.
 */
export abstract class McpError extends Error {
  abstract readonly code: string;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** The `error` member of a JSON-RPC response. */
export interface ErrorObject {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** The peer answered a request with an error. `wireCode` and `data` are the peer's. */
export class RpcError extends McpError {
  readonly code = "rpc";
  readonly wireCode: number;
  readonly data: unknown;
  /** Whether a server sent it, so that it is not for others to read. */
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

/** Thrown by a tool on purpose: its text is what the model reads. Anything else thrown is masked. */
export class ToolError extends McpError {
  readonly code = "tool";
}

export class ConnectionClosedError extends McpError {
  readonly code = "connection-closed";
}

/**
 * The answer to a call can't come any more: its connection or its session was lost on the way.
 *
 * The client itself goes on, and the next call may well work.
 */
export class CallLostError extends McpError {
  readonly code = "call-lost";
  readonly lost: "connection" | "session";
  /** Whether the call certainly was not carried out; if false, it may have been. */
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

/** The server answered a request with an HTTP status instead of a message. */
export class HttpError extends McpError {
  readonly code = "http";
  readonly status: number;
  /** Those of the answer that say what to do about it: `www-authenticate`, `retry-after`, `location`. */
  readonly headers: { readonly [name: string]: string };

  constructor(message: string, answer: HttpErrorDetails, options?: ErrorOptions) {
    super(message, options);
    this.status = answer.status;
    this.headers = answer.headers ?? {};
  }
}

export interface HttpErrorDetails {
  readonly status: number;
  readonly headers?: { readonly [name: string]: string };
}

/** One step of finding out how to be let in by a server, without secrets. */
export interface AuthHop {
  /** What was done: `"resource-metadata"`, `"token"`, `"refresh"`. */
  readonly step: string;
  /** The address that was asked, without its query. */
  readonly url?: string;
  readonly outcome: "ok" | "absent" | "refused" | "failed";
  readonly detail?: string;
}

/** A server does not let this client in, and nothing more can be done about it without help. */
export class AuthorizationError extends McpError {
  readonly code = "authorization";
  readonly reason: AuthorizationFailure;
  /** What was done until then. */
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
 * Why a client was not let in.
 *
 * `discovery`: how to log in could not be found out. `unsafe-address`: an address that may not be
 * asked. `metadata`: what the servers say of themselves contradicts itself or lacks PKCE.
 * `registration`: no way to become a known client. `login`: the user did not log in, or what came
 * back was not meant for us. `refused`: the authorization server, or the server, said no.
 * `unreachable`: somebody did not answer; credentials are kept, and trying again may work.
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
  /** Those that the server asked for. */
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

  /** `option` is the one that sets the limit. */
  constructor(what: string, limit: "idle" | "total", ms: number, option: string = `timeout.${limit}`) {
    const rule = limit === "idle" ? "without a sign of life" : "in total";
    super(`${what} took longer than ${ms} ms ${rule}; raise ${option} if it may.`);
    this.limit = limit;
    this.ms = ms;
  }
}

export class CancelledError extends McpError {
  readonly code = "cancelled";
}

/** Something needs a capability that the other side did not declare. */
export class CapabilityError extends McpError {
  readonly code = "capability-missing";
  readonly capability: string;
  readonly lackedBy: "client" | "server";

  constructor(capability: string, lackedBy: "client" | "server", what: string) {
    super(`${what} needs the capability "${capability}", which the ${lackedBy} does not declare.`);
    this.capability = capability;
    this.lackedBy = lackedBy;
  }
}

/** The revision that was agreed on has no such feature. */
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

  constructor(requested: string, supported: readonly string[], options?: ErrorOptions) {
    super(
      `No common protocol revision: asked for ${requested}, the peer supports ${supported.join(", ") || "none"}.`,
      options,
    );
    this.requested = requested;
    this.supported = supported;
  }
}

/** The peer answered with something that no revision allows. */
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

  constructor(message: string, end: ProcessExit, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = end.exitCode;
    this.signal = end.signal;
    this.stderr = end.stderr;
  }
}

export interface ProcessExit {
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** The last lines that the process wrote to stderr. */
  readonly stderr: readonly string[];
}

/** The host's `consent` said no, so the tool was not called. */
export class ConsentRefusedError extends McpError {
  readonly code = "consent-refused";
}

/** A tool is not what it was when it was first seen, or takes the name of another, so it was not called. */
export class ToolHeldError extends McpError {
  readonly code = "tool-held";
  /** What is different, line by line, for a person to read. */
  readonly diff: readonly string[];

  constructor(message: string, diff: readonly string[]) {
    super(message);
    this.diff = diff;
  }
}

/** A tool's structured result does not match the schema that the tool declares. */
export class InvalidOutputError extends McpError {
  readonly code = "invalid-output";
}

/**
 * A handler that can't be run again from the top: it asks something else than before
 * (`changed`), went on where it should have ended (`swallowed`), asks without end (`rounds`),
 * or asks while it does what is done once (`within-once`).
 */
export class ReplayError extends McpError {
  readonly code = "replay";
  readonly reason: "changed" | "swallowed" | "rounds" | "within-once";

  constructor(reason: ReplayError["reason"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** A page that the user must have visited before a call can succeed. */
export interface RequiredUrlElicitation {
  readonly message: string;
  readonly url: string;
  /** Under which the client hears that the visit is over. Default: a random one. */
  readonly id?: string | undefined;
}

/**
 * Thrown by a handler that can't do its work until the user has visited a page, such as
 * one to log in at. The client is told in the way of its revision, and calls again.
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

/** Thrown where there is no room for more; trying again later may help. */
export class OverloadedError extends McpError {
  readonly code = "overloaded";
}

/** Thrown by a resource handler when there is nothing at the URI; the caller gets the code its revision has for that. */
export class ResourceNotFoundError extends McpError {
  readonly code = "resource-not-found";
  readonly uri: string;

  constructor(uri: string) {
    super(`Resource not found: ${uri}`);
    this.uri = uri;
  }
}

/** A tool, resource or prompt that can't be registered as given. */
export class RegistrationError extends McpError {
  readonly code = "registration";
}

/** An option or argument of a call into this library that can't be right. */
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
  | InvalidOutputError
  | ReplayError
  | UrlElicitationRequiredError
  | OverloadedError
  | ResourceNotFoundError
  | RegistrationError
  | UsageError;
