import {
  calculateJwkThumbprint,
  createLocalJWKSet,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JSONWebKeySet,
  type JWK,
  type JWTPayload,
  jwtVerify,
  SignJWT,
} from "jose";
import { UsageError } from "../../../errors.ts";

export type SigningAlgorithm = "ES256" | "ES384" | "RS256" | "PS256" | "EdDSA";

interface SigningKey {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: CryptoKey;
  readonly publicJwk: JWK;
}

/** The keys of an issuer: the newest one signs, all verify. */
export class SigningKeys {
  readonly #keys: SigningKey[];

  private constructor(keys: SigningKey[]) {
    this.#keys = keys;
  }

  static async generate(alg: SigningAlgorithm): Promise<SigningKeys> {
    return new SigningKeys([await generateKey(alg)]);
  }

  /** Private keys, the one that signs first. */
  static async from(keys: readonly JWK[]): Promise<SigningKeys> {
    return new SigningKeys(await Promise.all(keys.map(importKey)));
  }

  get alg(): string {
    return this.#newest.alg;
  }

  /** What everybody may know. */
  get publicKeys(): JSONWebKeySet {
    return { keys: this.#keys.map(({ publicJwk }) => publicJwk) };
  }

  /** Signs with a new key from now on; what was signed before stays good. */
  async rotate(): Promise<void> {
    this.#keys.unshift(await generateKey(this.alg as SigningAlgorithm));
  }

  sign(claims: JWTPayload, typ: string): Promise<string> {
    const { alg, kid, privateKey } = this.#newest;
    return new SignJWT(claims).setProtectedHeader({ alg, kid, typ }).sign(privateKey);
  }

  /** The claims of what this ring signed and what has not expired; undefined for anything else. */
  async verify(token: string, expected: { issuer: string; typ: string }): Promise<JWTPayload | undefined> {
    const options = { ...expected, algorithms: [...new Set(this.#keys.map(({ alg }) => alg))] };
    try {
      return (await jwtVerify(token, createLocalJWKSet(this.publicKeys), options)).payload;
    } catch {
      return undefined;
    }
  }

  get #newest(): SigningKey {
    const [newest] = this.#keys;
    if (newest === undefined) throw new UsageError("An issuer needs a key to sign with.");
    return newest;
  }
}

async function generateKey(alg: SigningAlgorithm): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return toSigningKey(alg, privateKey, await exportJWK(publicKey));
}

async function importKey(jwk: JWK): Promise<SigningKey> {
  if (jwk.alg === undefined || !("d" in jwk)) {
    throw new UsageError("A signing key is a private JWK that names its alg, such as ES256.");
  }
  const privateKey = await importJWK(jwk, jwk.alg);
  const { kty, crv, x, y, n, e, kid } = jwk;
  const publicJwk = Object.fromEntries(
    Object.entries({ kty, crv, x, y, n, e, kid }).filter(([, value]) => value !== undefined),
  ) as JWK;
  return toSigningKey(jwk.alg, privateKey as CryptoKey, publicJwk);
}

async function toSigningKey(alg: string, privateKey: CryptoKey, jwk: JWK): Promise<SigningKey> {
  const kid = jwk.kid ?? (await calculateJwkThumbprint(jwk));
  return { kid, alg, privateKey, publicJwk: { ...jwk, kid, alg, use: "sig" } };
}
