import { calculateJwkThumbprint, EmbeddedJWK, type JWTPayload, type JWTVerifyResult, jwtVerify } from "jose";
import type { OneTimeValues, ProtectedRequest } from "../../contract/http-auth.ts";
import { sha256 } from "../../lib/encoding/sha256.ts";
import type { ChallengeError } from "./challenge.ts";
import { DpopNonces } from "./dpop-nonce.ts";
import { VerifierUnavailableError } from "./verifier-interface.ts";

export interface DpopOptions {
  /** Refuses tokens that are not bound to a key. Default false. */
  readonly required?: boolean;
  /**
   * Requires a nonce of this server in each proof. Default false.
   *
   * Without nonces a proof is accepted up to a minute after it was made, by the client's clock;
   * with them each client needs one more request at first.
   */
  readonly nonces?: boolean;
  /** Signature algorithms of proofs. Default: ES256, Ed25519 and other asymmetric ones. */
  readonly algorithms?: readonly string[];
}

/** The request, URL, token and key that a proof must match. */
export interface ExpectedDpopProof {
  readonly request: ProtectedRequest;
  /** The URL that the client sent the request to. */
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
/** The difference between the clocks of nodes for which a used proof stays known. Each request stores one, so it is short. */
const nodeSkewSeconds = 60;
const maxProofLength = 8_192;

/** Checks proofs that a client holds the key of its token (RFC 9449, section 4.3). */
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

  /** Checks a proof. Rejects with VerifierUnavailableError when the store of used proofs fails. */
  async check(expected: ExpectedDpopProof): Promise<DpopVerification> {
    try {
      return await this.#verify(expected);
    } catch (cause) {
      throw new VerifierUnavailableError("The store of used DPoP proofs failed.", { cause });
    }
  }

  async #verify(expected: ExpectedDpopProof): Promise<DpopVerification> {
    const proof = await this.#read(expected.request.header("dpop"));
    if (typeof proof === "string") return invalid(proof);
    const { payload, protectedHeader } = proof;
    if (protectedHeader.jwk === undefined || (await thumbprintOf(protectedHeader.jwk)) !== expected.key)
      return { ok: false, error: "invalid_token", message: "The token is bound to another key." };
    const problem = await this.#findProblem(payload, expected);
    if (problem !== undefined) return invalid(problem);
    if (this.#nonces && !(await this.#nonces.isRecent(payload.nonce))) return this.#requireNonce();
    if (!(await this.#spend(expected.key, String(payload.jti)))) return invalid("The proof was used before.");
    return this.#nonces ? this.#withNextNonce(payload.nonce) : { ok: true };
  }

  async #read(header: string | undefined): Promise<JWTVerifyResult | string> {
    if (header === undefined) return "The DPoP header with a proof is missing.";
    if (header.length > maxProofLength || header.includes(",")) return "The DPoP header must hold one proof.";
    try {
      return await jwtVerify(header, EmbeddedJWK, {
        typ: "dpop+jwt",
        algorithms: [...this.algorithms],
        requiredClaims: ["jti", "htm", "htu", "iat", "ath"],
        clockTolerance: this.#clockSkew,
      });
    } catch {
      // The client chose the key, so verification can fail with any error.
      return "The proof is not valid.";
    }
  }

  async #findProblem(
    payload: JWTPayload,
    { request, url, token }: ExpectedDpopProof,
  ): Promise<string | undefined> {
    const { jti, htm, htu, iat, ath } = payload;
    if (typeof jti !== "string" || jti === "") return "The proof has no jti.";
    if (htm !== request.method) return "The proof is for another method.";
    if (toTarget(htu) !== toTarget(url)) return "The proof is for another URL.";
    if (ath !== (await sha256(token))) return "The proof is for another token.";
    const age = Date.now() / 1000 - Number(iat);
    const isTimely = age <= maxAgeSeconds + this.#clockSkew && age >= -this.#clockSkew;
    // A nonce proves when the proof was made, whatever the client's clock shows.
    return isTimely || this.#nonces ? undefined : "The proof is too old, or was made in the future.";
  }

  /** Marks a proof as used; false if any node has seen it before. */
  async #spend(key: string, jti: string): Promise<boolean> {
    const ttlSeconds = this.#nonces ? 300 : maxAgeSeconds + 2 * this.#clockSkew + nodeSkewSeconds;
    return this.#values.add(`dpop-proof ${key} ${await sha256(jti)}`, "", ttlSeconds * 1000, key);
  }

  async #requireNonce(): Promise<DpopVerification> {
    return {
      ok: false,
      error: "use_dpop_nonce",
      message: "The proof must hold the nonce that this response carries.",
      headers: await this.#nonceHeader(),
    };
  }

  async #withNextNonce(used: unknown): Promise<DpopVerification> {
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

/** The URL without query and fragment; a WebSocket opens with an HTTP request, so ws counts as http. */
function toTarget(url: unknown): string | undefined {
  if (typeof url !== "string" || !URL.canParse(url)) return undefined;
  const { protocol, host, pathname } = new URL(url);
  return `${protocol.replace("ws", "http")}//${host}${pathname}`;
}
