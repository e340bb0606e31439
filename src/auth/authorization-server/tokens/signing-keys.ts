import {
  type CryptoKey,
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
  /** The secret part of the key. */
  readonly secret: string;
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

  /** A key for symmetric encryption, derived from each signing key, in their order. */
  encryptionKeys(): Promise<readonly Uint8Array[]> {
    return Promise.all(this.#keys.map(({ secret }) => deriveEncryptionKey(secret)));
  }

  get #newest(): SigningKey {
    const [newest] = this.#keys;
    if (newest === undefined) throw new UsageError("An issuer needs at least one signing key.");
    return newest;
  }
}

async function generateKey(alg: SigningAlgorithm): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const { d = "" } = await exportJWK(privateKey);
  return toSigningKey({ alg, privateKey, secret: d }, await exportJWK(publicKey));
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
  return toSigningKey(
    { alg: jwk.alg, privateKey: privateKey as CryptoKey, secret: String(jwk.d) },
    publicJwk,
  );
}

async function toSigningKey(
  key: Pick<SigningKey, "alg" | "privateKey" | "secret">,
  jwk: JWK,
): Promise<SigningKey> {
  const kid = jwk.kid ?? (await calculateJwkThumbprint(jwk));
  return { ...key, kid, publicJwk: { ...jwk, kid, alg: key.alg, use: "sig" } };
}

async function deriveEncryptionKey(secret: string): Promise<Uint8Array> {
  const bytes = new TextEncoder().encode(secret);
  const material = await crypto.subtle.importKey("raw", bytes, "HKDF", false, ["deriveBits"]);
  const info = new TextEncoder().encode("allspeak sealed records");
  const parameters = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info };
  return new Uint8Array(await crypto.subtle.deriveBits(parameters, material, 256));
}
