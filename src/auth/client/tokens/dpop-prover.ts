import { exportJWK, importJWK, type JWK, SignJWT } from "jose";
import { type CryptoKey, DPoP, type DPoPHandle, generateKeyPair } from "oauth4webapi";
import { sha256 } from "../../../lib/encoding/sha256.ts";

const algorithm = "ES256";

/** The key pair that tokens are bound to, in its stored form. */
export interface DpopKeys {
  readonly publicKey: JWK;
  readonly privateKey: JWK;
}

export async function createDpopKeys(): Promise<DpopKeys> {
  const { publicKey, privateKey } = await generateKeyPair(algorithm, { extractable: true });
  return { publicKey: await exportJWK(publicKey), privateKey: await exportJWK(privateKey) };
}

/** The handle by which oauth4webapi makes proofs for a token endpoint. */
export async function toDpopHandle(keys: DpopKeys): Promise<DPoPHandle> {
  const [publicKey, privateKey] = await Promise.all([
    importJWK(keys.publicKey, algorithm, { extractable: true }),
    importJWK(keys.privateKey, algorithm),
  ]);
  return DPoP({}, { publicKey: publicKey as CryptoKey, privateKey: privateKey as CryptoKey });
}

/** Makes the proofs of requests to one server (RFC 9449), with the last nonce that it sent. */
export class DpopProver {
  readonly #keys: DpopKeys;
  readonly #key: ReturnType<typeof importJWK>;
  #nonce: string | undefined;

  constructor(keys: DpopKeys) {
    this.#keys = keys;
    this.#key = importJWK(keys.privateKey, algorithm);
  }

  async prove(method: string, { origin, pathname }: URL, accessToken: string): Promise<string> {
    const claims = {
      htm: method,
      htu: `${origin}${pathname}`,
      ath: await sha256(accessToken),
      ...(this.#nonce !== undefined && { nonce: this.#nonce }),
    };
    return new SignJWT(claims)
      .setProtectedHeader({ typ: "dpop+jwt", alg: algorithm, jwk: this.#keys.publicKey })
      .setJti(crypto.randomUUID())
      .setIssuedAt()
      .sign(await this.#key);
  }

  /** Keeps the nonce of a response for the next proof. */
  readNonce(headers: Headers): void {
    this.#nonce = headers.get("dpop-nonce") ?? this.#nonce;
  }
}
