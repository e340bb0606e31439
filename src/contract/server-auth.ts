import type { Principal } from "./call.ts";

type Headers = { readonly [name: string]: string };

/** One HTTP request to a protected server, as far as its credentials are concerned. */
export interface ProtectedRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: string;
  /** By its lower-case name; a header that came twice is joined by commas. */
  header(name: string): string | undefined;
}

/** What is to be protected. */
export interface ProtectedEndpoints {
  /** The URL under which clients reach the first endpoint, where it is known. */
  readonly publicUrl: string | undefined;
  /** The paths of each endpoint; the first of them is the one that clients are told of. */
  readonly endpoints: readonly (readonly string[])[];
  readonly values: OneTimeValues;
}

/** Where what may be used only once is remembered, for all nodes. */
export interface OneTimeValues {
  /** Keeps a value unless there is one under this key; whether it did. */
  add(key: string, value: string, ttlMs: number): boolean | Promise<boolean>;
  get(key: string): string | undefined | Promise<string | undefined>;
}

/** How somebody is turned away. */
export interface AuthRefusal {
  readonly status: number;
  readonly headers: Headers;
  readonly message: string;
  /** What went wrong on our side, which is for the log. */
  readonly cause?: unknown;
}

export type AuthResult =
  | { readonly ok: true; readonly principal: Principal; readonly headers?: Headers }
  | { readonly ok: false; readonly refusal: AuthRefusal };

/** Stands before one place and lets in who belongs there. */
export interface Authenticator {
  /** JSON that anybody may read, by its path. */
  readonly documents: ReadonlyMap<string, string>;
  /** Looks at the credentials of one request. Never rejects. */
  authenticate(visit: ProtectedRequest): Promise<AuthResult>;
  /** Asks one who was let in to come back with more scopes. */
  stepUp(principal: Principal, scopes: readonly string[]): AuthRefusal;
}

/** Who may call a server over HTTP. */
export interface ServerAuth {
  /** Throws UsageError when the place can't be protected as it is. */
  protect(place: ProtectedEndpoints): Authenticator;
}
