import type { JSONWebKeySet } from "jose";
import { UsageError } from "../../errors.ts";
import type { FetchFunction } from "../fetch/request-options.ts";
import { toSecureUrl } from "../fetch/secure-url.ts";
import type { ImpliedScopes } from "./claims.ts";
import type { DpopOptions } from "./dpop-verifier.ts";
import { type IntrospectionOptions, IntrospectionVerifier } from "./introspection-verifier.ts";
import { JwtVerifier, signingAlgorithms } from "./jwt-verifier.ts";
import { type TokenVerifier, unverified, type VerifyToken } from "./token-verifier.ts";

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

/** All options, checked, with their defaults filled in. */
export interface BearerSettings {
  readonly verifier: TokenVerifier;
  readonly audience: string | readonly string[] | undefined;
  readonly scopes: readonly string[];
  readonly supportedScopes: readonly string[];
  readonly impliedScopes: ImpliedScopes;
  readonly clockSkew: number;
  readonly dpop: DpopOptions & { readonly algorithms: readonly string[] };
}

/** Throws UsageError for what can't be right. */
export function toBearerSettings(options: BearerOptions): BearerSettings {
  const { scopes = [], optionalScopes = [], impliedScopes = {}, clockSkew = 5, audience, dpop } = options;
  if (!(clockSkew >= 0 && clockSkew <= 300))
    throw new UsageError("clockSkew must be a number of seconds from 0 to 300.");
  if (Array.isArray(audience) && audience.length === 0)
    throw new UsageError("audience must name somebody; leave it out for publicUrl.");
  return {
    verifier: toVerifier(options, clockSkew),
    audience,
    scopes: toScopes(scopes),
    supportedScopes: [...new Set(toScopes([...scopes, ...optionalScopes]))],
    impliedScopes,
    clockSkew,
    dpop: { ...dpop, algorithms: toAlgorithms("dpop.algorithms", dpop?.algorithms) },
  };
}

function toVerifier(options: BearerOptions, clockSkew: number): TokenVerifier {
  const { jwks, introspection, verify, fetch } = options;
  const issuers = toIssuers(options);
  const [issuer] = issuers;
  if ([jwks, introspection, verify].filter((way) => way !== undefined).length > 1)
    throw new UsageError("Give one of jwks, introspection and verify: each says how tokens are checked.");
  const algorithms = toAlgorithms("algorithms", options.algorithms);
  if (verify) return toFunctionVerifier(issuers, verify);
  if (issuer === undefined) throw new UsageError("bearer needs an issuer, whose tokens are good, or verify.");
  if ((introspection || jwks) && issuers.length > 1)
    throw new UsageError("jwks and introspection are of one issuer; leave them out for several.");
  if (introspection) return new IntrospectionVerifier(issuer, introspection, fetch);
  return new JwtVerifier({ issuers, jwks, algorithms, clockSkew, fetch });
}

function toIssuers({ issuer, issuers = [] }: BearerOptions): readonly string[] {
  const all = issuer === undefined ? issuers : [issuer, ...issuers];
  for (const one of all) toSecureUrl("issuer", one);
  return all;
}

function toFunctionVerifier(issuers: readonly string[], verify: VerifyToken): TokenVerifier {
  return {
    issuers,
    async verify(token, info) {
      const claims = await verify(token, info);
      return claims === undefined ? unverified("The token is not valid.") : { ok: true, claims };
    },
  };
}

function toAlgorithms(option: string, chosen: readonly string[] = signingAlgorithms): readonly string[] {
  const unsafe = chosen.find((algorithm) => !signingAlgorithms.includes(algorithm));
  if (unsafe === undefined && chosen.length > 0) return chosen;
  throw new UsageError(`${option} may hold ${signingAlgorithms.join(", ")}, not ${unsafe ?? "nothing"}.`);
}

/** Refresh tokens are nothing that a server could ask for. */
function toScopes(scopes: readonly string[]): readonly string[] {
  for (const scope of scopes) {
    if (/^[!#-[\]-~]+$/.test(scope) && scope !== "offline_access") continue;
    throw new UsageError(`${JSON.stringify(scope)} is no scope that a server could need.`);
  }
  return scopes;
}
