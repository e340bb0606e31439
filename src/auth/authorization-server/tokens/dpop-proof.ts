import { calculateJwkThumbprint, EmbeddedJWK, type JWTVerifyResult, jwtVerify } from "jose";
import { randomToken } from "../../../lib/encoding/random-token.ts";
import { sha256 } from "../../../lib/encoding/sha256.ts";
import type { ValueStore } from "../../../state/state.ts";
import { OAuthError } from "../http/oauth-error.ts";

export const dpopAlgorithms: readonly string[] = ["ES256", "ES384", "RS256", "PS256", "EdDSA", "Ed25519"];

export interface DpopProofOptions {
  readonly values: ValueStore;
  /** The URL of the endpoint, which proofs must name. */
  readonly url: string;
  /** Refuses requests without a proof. */
  readonly required: boolean;
  /** Requires a nonce of this server in each proof. */
  readonly nonce: boolean;
  /** The hash of the access token that is sent with the proof. */
  readonly tokenHash?: string;
}

const maxAgeSeconds = 60;
const nonceMs = 5 * 60_000;

/** The thumbprint of the key that a request proves to hold (RFC 9449); undefined for a request without a proof. */
export async function verifyDpopProof(
  request: Request,
  options: DpopProofOptions,
): Promise<string | undefined> {
  const proof = request.headers.get("dpop");
  if (proof === null) {
    if (options.required) throw invalidProof("This server requires a DPoP proof.");
    return undefined;
  }
  const { payload, protectedHeader } = await verify(proof);
  const { htm, htu, jti, nonce, ath } = payload;
  if (htm !== request.method || withoutQuery(htu) !== options.url) {
    throw invalidProof("The DPoP proof is for another request.");
  }
  if (ath !== options.tokenHash) throw invalidProof("The DPoP proof is for another token.");
  if (typeof jti !== "string") throw invalidProof("The DPoP proof has no jti.");
  if (options.nonce) await assertNonce(nonce, options.values);
  const thumbprint = await calculateJwkThumbprint(protectedHeader.jwk ?? {});
  const key = `proof:${await sha256(`${thumbprint} ${jti}`)}`;
  if (!(await options.values.add(key, "", 3 * maxAgeSeconds * 1000))) {
    throw invalidProof("The DPoP proof was used before.");
  }
  return thumbprint;
}

async function verify(proof: string): Promise<JWTVerifyResult> {
  try {
    return await jwtVerify(proof, EmbeddedJWK, {
      typ: "dpop+jwt",
      algorithms: [...dpopAlgorithms],
      maxTokenAge: maxAgeSeconds,
      clockTolerance: 5,
    });
  } catch {
    throw invalidProof("The DPoP proof is not valid, or is too old.");
  }
}

function withoutQuery(htu: unknown): string | undefined {
  if (typeof htu !== "string" || !URL.canParse(htu)) return undefined;
  const { origin, pathname } = new URL(htu);
  return origin + pathname;
}

async function assertNonce(nonce: unknown, values: ValueStore): Promise<void> {
  if (typeof nonce === "string" && (await values.get(`nonce:${await sha256(nonce)}`)) !== undefined) return;
  throw new OAuthError("use_dpop_nonce", "The DPoP proof must hold the nonce of this response.", {
    headers: { "dpop-nonce": await createNonce(values) },
  });
}

async function createNonce(values: ValueStore): Promise<string> {
  const nonce = randomToken();
  await values.put(`nonce:${await sha256(nonce)}`, "", nonceMs);
  return nonce;
}

function invalidProof(description: string): OAuthError {
  return new OAuthError("invalid_dpop_proof", description);
}
