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

/** The signing keys of an issuer: the newest one signs, all of them verify. */
export class SigningKeys {
  readonly #keys: SigningKey[];

  private constructor(keys: SigningKey[]) {
    this.#keys = keys;
  }

  static async generate(alg: SigningAlgorithm): Promise<SigningKeys> {
    return new SigningKeys([await generateKey(alg)]);
  }

  /** Imports private keys; the first one signs. */
  static async from(keys: readonly JWK[]): Promise<SigningKeys> {
    return new SigningKeys(await Promise.all(keys.map(importKey)));
  }

  get alg(): string {
    return this.#newest.alg;
  }

  /** The public key set. */
  get publicKeys(): JSONWebKeySet {
    return { keys: this.#keys.map(({ publicJwk }) => publicJwk) };
  }

  /** Signs with a new key from now on; earlier signatures stay valid. */
  async rotate(): Promise<void> {
    this.#keys.unshift(await generateKey(this.alg as SigningAlgorithm));
  }

  sign(claims: JWTPayload, typ: string): Promise<string> {
    const { alg, kid, privateKey } = this.#newest;
    return new SignJWT(claims).setProtectedHeader({ alg, kid, typ }).sign(privateKey);
  }

  /** The claims of an unexpired token that these keys signed; undefined for any other. */
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
    if (newest === undefined) throw new UsageError("An issuer needs at least one signing key.");
    return newest;
  }
}

async function generateKey(alg: SigningAlgorithm): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return toSigningKey(alg, privateKey, await exportJWK(publicKey));
}

async function importKey(jwk: JWK): Promise<SigningKey> {
  if (jwk.alg === undefined || !("d" in jwk)) {
    throw new UsageError("A signing key must be a private JWK that names its alg, such as ES256.");
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
