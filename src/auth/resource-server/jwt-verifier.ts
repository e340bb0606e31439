import {
  base64url,
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  decodeJwt,
  errors,
  type JSONWebKeySet,
  type JWTVerifyGetKey,
  jwtVerify,
} from "jose";
import type { MaybePromise } from "../../lib/async/maybe-promise.ts";
import { RecentMap } from "../../lib/bounded/recent-map.ts";
import { deepFreeze } from "../../lib/deep-freeze.ts";
import { loadOnce } from "../fetch/load-once.ts";
import { type OAuthFetch, toBoundedFetch } from "../fetch/request-options.ts";
import { toSecureUrl } from "../fetch/secure-url.ts";
import { fetchAuthorizationServerMetadata } from "./authorization-server-metadata.ts";
import { type Claims, toComparable } from "./claims.ts";
import { hasDuplicateMembers } from "./duplicate-members.ts";
import {
  type TokenVerification,
  type TokenVerifier,
  unverified,
  VerifierUnavailableError,
} from "./verifier-interface.ts";

/**
 * The asymmetric signature algorithms.
 *
 * With a shared secret (HMAC), anybody who can check a token can forge one; and a verifier that
 * takes a public key for such a secret accepts tokens that anybody has signed with it.
 */
export const signingAlgorithms: readonly string[] = [
  "ES256",
  "ES384",
  "ES512",
  "PS256",
  "PS384",
  "PS512",
  "RS256",
  "RS384",
  "RS512",
  "EdDSA",
  "Ed25519",
];

export interface JwtVerifierOptions {
  readonly issuers: readonly string[];
  /** The keys, or their URL; undefined for the `jwks_uri` of the issuer's metadata. */
  readonly jwks: string | URL | JSONWebKeySet | undefined;
  readonly algorithms: readonly string[];
  readonly clockSkew: number;
  readonly fetch: OAuthFetch | undefined;
}

/** Signatures are good for as long as their key is, and key sets are loaded again after ten minutes at most. */
const verifiedMs = 60_000;
const maxVerified = 1_000;

/**
 * Verifies JSON Web Tokens by the keys of their issuers (RFC 9068).
 *
 * The signature of a token is verified once a minute. Its claims, its expiry among them, are checked each time.
 */
export class JwtVerifier implements TokenVerifier {
  readonly issuers: readonly string[];
  readonly #options: JwtVerifierOptions;
  /** By issuer. */
  readonly #keys: ReadonlyMap<string, JWTVerifyGetKey>;
  /** By token. */
  readonly #verified = new RecentMap<TokenVerification>(maxVerified);

  constructor(options: JwtVerifierOptions) {
    this.issuers = options.issuers;
    this.#options = options;
    this.#keys = new Map(
      options.issuers.map((issuer) => [toComparable(issuer), toKeys(issuer, options)] as const),
    );
  }

  verify(token: string): MaybePromise<TokenVerification> {
    return this.#verified.get(token) ?? this.#verifyAndRemember(token);
  }

  async #verifyAndRemember(token: string): Promise<TokenVerification> {
    const verification = await this.#verify(token);
    if (verification.ok) this.#verified.set(token, verification, verifiedMs);
    return verification;
  }

  async #verify(token: string): Promise<TokenVerification> {
    const keys = this.#keysFor(token);
    if (keys === undefined) return unverified("The token was issued by no issuer that this server accepts.");
    const { algorithms, clockSkew } = this.#options;
    try {
      const { payload, protectedHeader } = await jwtVerify(token, keys, {
        algorithms: [...algorithms],
        clockTolerance: clockSkew,
        requiredClaims: ["exp", "aud", "iss"],
      });
      if (isAmbiguous(token)) return unverified("The token names a claim twice.");
      if (!isAccessToken(protectedHeader.typ)) return unverified("The token is not an access token.");
      // Handlers of several requests see the same claims.
      return { ok: true, claims: deepFreeze(payload) as Claims };
    } catch (error) {
      if (error instanceof errors.JWTExpired) return unverified("The token has expired.");
      if (error instanceof errors.JOSEError) return unverified("The token is not valid.");
      throw error;
    }
  }

  /** The keys of the issuer that an unverified token names, so that a token of an unknown issuer causes no request. */
  #keysFor(token: string): JWTVerifyGetKey | undefined {
    try {
      const { iss } = decodeJwt(token);
      return typeof iss === "string" ? this.#keys.get(toComparable(iss)) : undefined;
    } catch {
      return undefined;
    }
  }
}

/** True for a token whose header or claims have two members of one name. */
function isAmbiguous(token: string): boolean {
  const [header = "", payload = ""] = token.split(".");
  return [header, payload].some((part) =>
    hasDuplicateMembers(new TextDecoder().decode(base64url.decode(part))),
  );
}

/** False for other kinds of tokens, such as logout tokens, which are signed with the same keys. */
function isAccessToken(type: string | undefined): boolean {
  return type === undefined || /^(?:application\/)?(?:at\+)?jwt$/i.test(type);
}

function toKeys(issuer: string, { jwks, fetch }: JwtVerifierOptions): JWTVerifyGetKey {
  if (isKeySet(jwks)) return createLocalJWKSet(jwks);
  if (jwks !== undefined) return withAvailability(createRemoteKeys(toSecureUrl("jwks", jwks), fetch));
  const url = toSecureUrl("issuer", issuer);
  const findKeys = loadOnce(async () => {
    const { jwks_uri } = await fetchAuthorizationServerMetadata(url, fetch);
    if (jwks_uri === undefined)
      throw new VerifierUnavailableError(`The metadata of ${issuer} has no jwks_uri.`);
    return createRemoteKeys(toSecureUrl("jwks_uri", jwks_uri), fetch);
  });
  return withAvailability(async (header, input) => (await findKeys())(header, input));
}

function isKeySet(jwks: JwtVerifierOptions["jwks"]): jwks is JSONWebKeySet {
  return typeof jwks === "object" && "keys" in jwks;
}

/** A cached key set; an unknown key id reloads it, at most twice a minute. */
function createRemoteKeys(url: URL, fetch: OAuthFetch | undefined): JWTVerifyGetKey {
  return createRemoteJWKSet(url, { [customFetch]: toBoundedFetch(fetch) });
}

/** Separates tokens that no key fits from key sets that could not be loaded. */
function withAvailability(keys: JWTVerifyGetKey): JWTVerifyGetKey {
  return async (header, input) => {
    try {
      return await keys(header, input);
    } catch (error) {
      if (isTokenError(error)) throw error;
      throw error instanceof VerifierUnavailableError
        ? error
        : new VerifierUnavailableError("The keys of the issuer could not be loaded.", { cause: error });
    }
  };
}

function isTokenError(error: unknown): boolean {
  return (
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JWKSMultipleMatchingKeys ||
    error instanceof errors.JOSENotSupported
  );
}
