import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  decodeJwt,
  errors,
  type JSONWebKeySet,
  type JWTVerifyGetKey,
  jwtVerify,
} from "jose";
import { loadOnce } from "../fetch/load-once.ts";
import type { FetchFunction } from "../fetch/request-options.ts";
import { toSecureUrl } from "../fetch/secure-url.ts";
import { fetchAuthorizationServerMetadata } from "./authorization-server-metadata.ts";
import { type Claims, toComparable } from "./claims.ts";
import {
  type TokenVerification,
  type TokenVerifier,
  unverified,
  VerifierUnavailableError,
} from "./token-verifier.ts";

/**
 * Signatures that a key nobody else has is needed for.
 *
 * With a shared secret, whoever can check a token can make one; and a public key taken for
 * a secret lets anybody do so.
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
  /** The keys, or where they are; else the metadata of the issuer says where. */
  readonly jwks: string | URL | JSONWebKeySet | undefined;
  readonly algorithms: readonly string[];
  readonly clockSkew: number;
  readonly fetch: FetchFunction | undefined;
}

/** JSON Web Tokens, by the keys of those who issue them (RFC 9068). */
export class JwtVerifier implements TokenVerifier {
  readonly issuers: readonly string[];
  readonly #options: JwtVerifierOptions;
  /** By issuer. */
  readonly #keys: ReadonlyMap<string, JWTVerifyGetKey>;

  constructor(options: JwtVerifierOptions) {
    this.issuers = options.issuers;
    this.#options = options;
    this.#keys = new Map(
      options.issuers.map((issuer) => [toComparable(issuer), toKeys(issuer, options)] as const),
    );
  }

  async verify(token: string): Promise<TokenVerification> {
    const keys = this.#keysFor(token);
    if (keys === undefined) return unverified("The token is of no issuer that is known here.");
    const { algorithms, clockSkew } = this.#options;
    try {
      const { payload, protectedHeader } = await jwtVerify(token, keys, {
        algorithms: [...algorithms],
        clockTolerance: clockSkew,
        requiredClaims: ["exp", "aud", "iss"],
      });
      if (!isAccessToken(protectedHeader.typ)) return unverified("The token is not an access token.");
      return { ok: true, claims: payload as Claims };
    } catch (error) {
      if (error instanceof errors.JWTExpired) return unverified("The token has expired.");
      if (error instanceof errors.JOSEError) return unverified("The token is not valid.");
      throw error;
    }
  }

  /** Whose keys to try, from what is not proven yet. What no known issuer could have signed costs no request. */
  #keysFor(token: string): JWTVerifyGetKey | undefined {
    try {
      const { iss } = decodeJwt(token);
      return typeof iss === "string" ? this.#keys.get(toComparable(iss)) : undefined;
    } catch {
      return undefined;
    }
  }
}

/** Tokens of other kinds, such as those that end a login, are signed with the same keys. */
function isAccessToken(type: string | undefined): boolean {
  return type === undefined || /^(?:application\/)?(?:at\+)?jwt$/i.test(type);
}

function toKeys(issuer: string, { jwks, fetch }: JwtVerifierOptions): JWTVerifyGetKey {
  if (isKeySet(jwks)) return createLocalJWKSet(jwks);
  if (jwks !== undefined) return asked(createKeys(toSecureUrl("jwks", jwks), fetch));
  const url = toSecureUrl("issuer", issuer);
  const find = loadOnce(async () => {
    const { jwks_uri } = await fetchAuthorizationServerMetadata(url, fetch);
    if (jwks_uri === undefined)
      throw new VerifierUnavailableError(`${issuer} does not say where its keys are.`);
    return createKeys(toSecureUrl("jwks_uri", jwks_uri), fetch);
  });
  return asked(async (header, input) => (await find())(header, input));
}

function isKeySet(jwks: JwtVerifierOptions["jwks"]): jwks is JSONWebKeySet {
  return typeof jwks === "object" && "keys" in jwks;
}

/** Keys are kept; one that is unknown is looked for again, but not more often than twice a minute. */
function createKeys(url: URL, fetch: FetchFunction | undefined): JWTVerifyGetKey {
  return createRemoteJWKSet(url, fetch && { [customFetch]: fetch });
}

/** Tells a token without a key from keys that could not be had. */
function asked(keys: JWTVerifyGetKey): JWTVerifyGetKey {
  return async (header, input) => {
    try {
      return await keys(header, input);
    } catch (error) {
      if (isAboutToken(error)) throw error;
      throw error instanceof VerifierUnavailableError
        ? error
        : new VerifierUnavailableError("The keys could not be read.", { cause: error });
    }
  };
}

function isAboutToken(error: unknown): boolean {
  return (
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JWKSMultipleMatchingKeys ||
    error instanceof errors.JOSENotSupported
  );
}
