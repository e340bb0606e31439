import { calculateJwkThumbprint, EmbeddedJWK, type JWTPayload, type JWTVerifyResult, jwtVerify } from "jose";
import type { OneTimeValues, ProtectedRequest } from "../../contract/http-auth.ts";
import { sha256 } from "../../lib/sha256.ts";
import type { ChallengeError } from "./challenge.ts";
import { DpopNonces } from "./dpop-nonce.ts";
import { VerifierUnavailableError } from "./token-verifier.ts";

export interface DpopOptions {
  /** Refuse tokens that are not bound to a key. Default false. */
  readonly required?: boolean;
  /**
   * Ask for a value of this server in each proof. Default false.
   *
   * Without it a proof may be made up to a minute before it is used, by a clock that may be
   * wrong; with it each client needs one more request in the beginning.
   */
  readonly nonces?: boolean;
  /** Signatures of proofs. Default: ES256, Ed25519 and others without a shared secret. */
  readonly algorithms?: readonly string[];
}

/** What a proof must be for. */
export interface ExpectedDpopProof {
  readonly request: ProtectedRequest;
  /** Where the client has sent the request. */
  readonly url: string;
  readonly token: string;
  /** The thumbprint of the key that the token is bound to. */
  readonly key: string;
}

export type DpopVerification =
  | { readonly ok: true; readonly headers?: Headers }
  | {
      readonly ok: false;
      readonly error: ChallengeError;
      readonly message: string;
      readonly headers?: Headers;
    };

type Headers = { readonly [name: string]: string };

const maxAgeSeconds = 60;
const maxProofLength = 8_192;

/** Proofs that a client holds the key of its token (RFC 9449, section 4.3). */
export class DpopVerifier {
  readonly algorithms: readonly string[];
  readonly #values: OneTimeValues;
  readonly #nonces: DpopNonces | undefined;
  readonly #clockSkew: number;

  constructor(
    values: OneTimeValues,
    options: DpopOptions & { algorithms: readonly string[] },
    clockSkew: number,
  ) {
    this.algorithms = options.algorithms;
    this.#values = values;
    this.#nonces = options.nonces ? new DpopNonces(values) : undefined;
    this.#clockSkew = clockSkew;
  }

  /** Rejects with Unavailable when it can't be known whether a proof was used before. */
  async check(proved: ExpectedDpopProof): Promise<DpopVerification> {
    try {
      return await this.#judge(proved);
    } catch (cause) {
      throw new VerifierUnavailableError("Proofs could not be looked up.", { cause });
    }
  }

  async #judge(proved: ExpectedDpopProof): Promise<DpopVerification> {
    const proof = await this.#read(proved.request.header("dpop"));
    if (typeof proof === "string") return invalid(proof);
    const { payload, protectedHeader } = proof;
    if (protectedHeader.jwk === undefined || (await thumbprintOf(protectedHeader.jwk)) !== proved.key)
      return { ok: false, error: "invalid_token", message: "The token is bound to another key." };
    const problem = await this.#problemOf(payload, proved);
    if (problem !== undefined) return invalid(problem);
    if (this.#nonces && !(await this.#nonces.isRecent(payload.nonce))) return this.#askForNonce();
    if (!(await this.#spend(proved.key, String(payload.jti)))) return invalid("The proof was used before.");
    return this.#nonces ? this.#renewed(payload.nonce) : { ok: true };
  }

  async #read(header: string | undefined): Promise<JWTVerifyResult | string> {
    if (header === undefined) return "A proof is needed in the DPoP header.";
    if (header.length > maxProofLength || header.includes(",")) return "There must be one proof.";
    try {
      return await jwtVerify(header, EmbeddedJWK, {
        typ: "dpop+jwt",
        algorithms: [...this.algorithms],
        requiredClaims: ["jti", "htm", "htu", "iat", "ath"],
        clockTolerance: this.#clockSkew,
      });
    } catch {
      // A key that the client made up can fail in any way.
      return "The proof is not valid.";
    }
  }

  async #problemOf(
    payload: JWTPayload,
    { request: visit, url, token }: ExpectedDpopProof,
  ): Promise<string | undefined> {
    const { jti, htm, htu, iat, ath } = payload;
    if (typeof jti !== "string" || jti === "") return "The proof has no jti.";
    if (htm !== visit.method) return "The proof is for another method.";
    if (toTarget(htu) !== toTarget(url)) return "The proof is for another URL.";
    if (ath !== (await sha256(token))) return "The proof is for another token.";
    const age = Date.now() / 1000 - Number(iat);
    const isTimely = age <= maxAgeSeconds + this.#clockSkew && age >= -this.#clockSkew;
    // A nonce shows when a proof was made, whatever the clock of the client says.
    return isTimely || this.#nonces ? undefined : "The proof is too old, or of the future.";
  }

  /** Whether nobody has used this proof yet, on any node. */
  async #spend(key: string, jti: string): Promise<boolean> {
    const ttlSeconds = this.#nonces ? 300 : maxAgeSeconds + 2 * this.#clockSkew;
    return this.#values.add(`dpop-proof ${key} ${await sha256(jti)}`, "", ttlSeconds * 1000);
  }

  async #askForNonce(): Promise<DpopVerification> {
    return {
      ok: false,
      error: "use_dpop_nonce",
      message: "The proof must hold the nonce of this server.",
      headers: await this.#nonceHeader(),
    };
  }

  async #renewed(used: unknown): Promise<DpopVerification> {
    const headers = await this.#nonceHeader();
    return headers["dpop-nonce"] === used ? { ok: true } : { ok: true, headers };
  }

  async #nonceHeader(): Promise<{ readonly "dpop-nonce": string }> {
    return { "dpop-nonce": (await this.#nonces?.current()) ?? "" };
  }
}

function invalid(message: string): DpopVerification {
  return { ok: false, error: "invalid_dpop_proof", message };
}

async function thumbprintOf(jwk: object): Promise<string> {
  return calculateJwkThumbprint(jwk);
}

/** A URL without query and fragment; a WebSocket is opened by a request of HTTP. */
function toTarget(url: unknown): string | undefined {
  if (typeof url !== "string" || !URL.canParse(url)) return undefined;
  const { protocol, host, pathname } = new URL(url);
  return `${protocol.replace("ws", "http")}//${host}${pathname}`;
}
