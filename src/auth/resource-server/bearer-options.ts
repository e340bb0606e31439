import type { JSONWebKeySet } from "jose";
import { assertOptions, type OptionKinds } from "../../contract/options.ts";
import { UsageError } from "../../errors.ts";
import type { OAuthFetch } from "../fetch/request-options.ts";
import { toSecureUrl } from "../fetch/secure-url.ts";
import type { ImpliedScopes } from "./claims.ts";
import type { DpopOptions } from "./dpop-verifier.ts";
import { type IntrospectionOptions, IntrospectionVerifier } from "./introspection-verifier.ts";
import { JwtVerifier, signingAlgorithms } from "./jwt-verifier.ts";
import { type TokenVerifier, unverified, type VerifyToken } from "./verifier-interface.ts";

/** The tokens that are accepted, and the scopes that they need. */
export interface BearerOptions {
  /** The authorization server. Its keys are found through its metadata. */
  readonly issuer?: string;
  /** Several authorization servers; the client chooses one. */
  readonly issuers?: readonly string[];
  /** The keys of the issuer, or their URL. Default: the `jwks_uri` of its metadata. */
  readonly jwks?: string | URL | JSONWebKeySet;
  /** Asks the issuer about each token, for opaque tokens. */
  readonly introspection?: IntrospectionOptions;
  /** Verifies tokens instead of `jwks` and `introspection`. */
  readonly verify?: VerifyToken;
  /**
   * The audience that tokens must have been issued for. Default: `publicUrl`.
   *
   * Without this check a token that was issued for another server would be accepted here.
   */
  readonly audience?: string | readonly string[];
  /** Scopes that every request needs. */
  readonly scopes?: readonly string[];
  /** Further scopes that clients may request; published in the metadata. */
  readonly optionalScopes?: readonly string[];
  /** Scopes that another scope includes: `{ admin: ["orders:read", "orders:write"] }`. */
  readonly impliedScopes?: ImpliedScopes;
  /** Signature algorithms of tokens. Default: RS, PS and ES with 256 to 512 bits, EdDSA. HMAC is not available. */
  readonly algorithms?: readonly string[];
  /** Seconds by which the clocks of issuer and server may differ. Default 5. */
  readonly clockSkew?: number;
  /** Tokens that are bound to a key (DPoP). Proofs are always checked; this also decides whether other tokens are accepted. */
  readonly dpop?: DpopOptions;
  /** Sends the requests to the authorization server. */
  readonly fetch?: OAuthFetch;
}

const bearerOptionKinds: OptionKinds<BearerOptions> = {
  issuer: "string",
  issuers: "strings",
  jwks: "string|object",
  introspection: "object",
  verify: "function",
  audience: "string|strings",
  scopes: "strings",
  optionalScopes: "strings",
  impliedScopes: "object",
  algorithms: "strings",
  clockSkew: "any",
  dpop: "object",
  fetch: "function",
};

/** The options after the check, with their defaults. */
export interface BearerSettings {
  readonly verifier: TokenVerifier;
  readonly audience: string | readonly string[] | undefined;
  readonly scopes: readonly string[];
  readonly supportedScopes: readonly string[];
  readonly impliedScopes: ImpliedScopes;
  readonly clockSkew: number;
  readonly dpop: DpopOptions & { readonly algorithms: readonly string[] };
}

/** Checks the options. Throws UsageError. */
export function toBearerSettings(options: BearerOptions): BearerSettings {
  assertOptions("bearer", options, bearerOptionKinds);
  const { scopes = [], optionalScopes = [], impliedScopes = {}, clockSkew = 5, audience, dpop } = options;
  if (!(clockSkew >= 0 && clockSkew <= 300))
    throw new UsageError("clockSkew must be a number of seconds from 0 to 300.");
  if (Array.isArray(audience) && audience.length === 0)
    throw new UsageError("audience must not be empty; leave it out to use publicUrl.");
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
  if ([jwks, introspection, verify].filter((given) => given !== undefined).length > 1)
    throw new UsageError("Give only one of jwks, introspection and verify: each is a way to verify tokens.");
  const algorithms = toAlgorithms("algorithms", options.algorithms);
  if (verify) return toFunctionVerifier(issuers, verify);
  if (issuer === undefined)
    throw new UsageError("bearer needs issuer, the authorization server whose tokens it accepts, or verify.");
  if ((introspection || jwks) && issuers.length > 1)
    throw new UsageError(
      "jwks and introspection belong to one issuer; leave them out to use several issuers.",
    );
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

/** Rejects `offline_access`: it asks for a refresh token, which no resource server needs. */
function toScopes(scopes: readonly string[]): readonly string[] {
  for (const scope of scopes) {
    if (/^[!#-[\]-~]+$/.test(scope) && scope !== "offline_access") continue;
    throw new UsageError(`${JSON.stringify(scope)} is not a scope that a server can require.`);
  }
  return scopes;
}
