import { type AuthHop, RpcError } from "../errors.ts";
import type { MaybePromise } from "../lib/async/maybe-promise.ts";
import { WireCode } from "../protocol/wire-error.ts";
import type { Principal } from "./caller/principal.ts";

/** One HTTP request of a client that needs credentials. */
export interface AuthRequest {
  readonly method: string;
  /** The URL that was connected to; the credentials are for this server. */
  readonly server: URL;
  /** The URL of this request, at the same origin. */
  readonly url: URL;
  readonly signal: AbortSignal;
  /** The revision that the request speaks, or offers, where it is known. */
  readonly revision?: string | undefined;
  /** The number of times it was sent and refused before. */
  readonly attempt: number;
}

/**
 * The credentials of a client over HTTP, and its reaction when they are refused.
 *
 * No deadline of the client counts while it works, so that a user has time to log in.
 * It must have a time limit of its own.
 */
export interface ClientAuth {
  /** The headers that carry the credentials; none while there are no credentials. */
  authorize(
    request: AuthRequest,
  ): Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
  /**
   * Inspects each response. `"retry"` sends the same request again with new credentials;
   * `"keep"` accepts the response; an error that it throws is the outcome of the call. It must not
   * read the body.
   */
  onResponse(response: Response, request: AuthRequest): "retry" | "keep" | Promise<"retry" | "keep">;
  /** The steps taken so far, oldest first. */
  explain?(): readonly AuthHop[];
}

/** One HTTP request to a protected server, reduced to what its credentials depend on. */
export interface ProtectedRequest {
  readonly method: string;
  /** The path of the route, without the query. */
  readonly path: string;
  /** The path under which a router has mounted the server, with everything below it; empty where it has not. */
  readonly mountPath?: string;
  readonly query: string;
  /** The value of a header, by its lower-case name; repeated headers are joined by commas. */
  header(name: string): string | undefined;
}

/** The endpoints of one HTTP server that authorization protects. */
export interface ProtectedEndpoints {
  /** The URL under which clients reach the first endpoint, where it is known. */
  readonly publicUrl: string | undefined;
  /** The paths of each endpoint; the first path is the one that metadata names. */
  readonly endpoints: readonly (readonly string[])[];
}

/** A store for values that may be used only once, shared by all nodes. */
export interface OneTimeValues {
  /** Stores a value, for a holder where there is one, unless the key is taken; returns whether it did. */
  add(key: string, value: string, ttlMs: number, holder?: string): boolean | Promise<boolean>;
  get(key: string): string | undefined | Promise<string | undefined>;
}

/** The HTTP response to a request that is not authorized. */
export interface AuthRefusal {
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  readonly message: string;
  /** An error on the server's side; for the log only. */
  readonly cause?: unknown;
}

export type AuthResult =
  | {
      readonly ok: true;
      readonly principal: Principal;
      readonly headers?: { readonly [name: string]: string };
    }
  | { readonly ok: false; readonly refusal: AuthRefusal };

/** The authorization check of one HTTP server. */
export interface Authenticator {
  /** Public JSON documents, such as the protected resource metadata, by their paths. */
  readonly documents: ReadonlyMap<string, string>;
  /** Checks the credentials of one request. Never rejects. */
  authenticate(request: ProtectedRequest): MaybePromise<AuthResult>;
  /** The response that asks an authenticated caller to come back with more scopes. */
  stepUp(principal: Principal, scopes: readonly string[]): AuthRefusal;
}

/** Authorization for a server over HTTP. */
export interface ServerAuth {
  /**
   * Prepares the check for these endpoints; it begins when the server hands in its store.
   *
   * Throws UsageError when the endpoints can't be protected as they are.
   */
  protect(endpoints: ProtectedEndpoints): (values: OneTimeValues) => Authenticator;
}

/**
 * The error of a call that needs more scopes than its caller has.
 *
 * A transport that can ask the caller for scopes does so instead of sending this error.
 */
export class MissingScopesError extends RpcError {
  /** All scopes that the call needs. */
  readonly scopes: readonly string[];

  constructor(scopes: readonly string[]) {
    super(WireCode.invalidRequest, `Access needs the scopes: ${scopes.join(" ")}`, { scopes });
    this.scopes = scopes;
  }
}
