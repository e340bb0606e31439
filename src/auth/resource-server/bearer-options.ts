import type { JSONWebKeySet } from "jose";
import type { FetchFunction } from "./authorization-server-metadata.ts";
import type { ImpliedScopes } from "./claims.ts";
import type { DpopOptions } from "./dpop-verifier.ts";
import type { IntrospectionOptions } from "./introspection-verifier.ts";
import type { VerifyToken } from "./token-verifier.ts";

/** Whose tokens are good, and for what. */
export interface BearerOptions {
  /** The authorization server. Its metadata says where its keys are. */
  readonly issuer?: string;
  /** Several of them; clients choose. */
  readonly issuers?: readonly string[];
  /** The keys of the issuer, or their URL, where its metadata does not say. */
  readonly jwks?: string | URL | JSONWebKeySet;
  /** Asks the issuer about each token, for those that only it can read. */
  readonly introspection?: IntrospectionOptions;
  /** Takes the place of both. */
  readonly verify?: VerifyToken;
  /**
   * Whom tokens must have been issued for. Default: `publicUrl`.
   *
   * Without the check a token that somebody gave to another server would be good here.
   */
  readonly audience?: string | readonly string[];
  /** Scopes that every request needs. */
  readonly scopes?: readonly string[];
  /** Further scopes that clients may ask for, for the metadata. */
  readonly optionalScopes?: readonly string[];
  /** Scopes that come with another: `{ admin: ["orders:read", "orders:write"] }`. */
  readonly impliedScopes?: ImpliedScopes;
  /** Signatures of tokens. Default: RS, PS and ES with 256 to 512 bits, EdDSA. None with a shared secret can be chosen. */
  readonly algorithms?: readonly string[];
  /** Seconds by which clocks may differ. Default 5. */
  readonly clockSkew?: number;
  /** Tokens that are bound to a key. They are checked in any case; this says whether others are taken. */
  readonly dpop?: DpopOptions;
  /** For requests to the authorization server. */
  readonly fetch?: FetchFunction;
}
