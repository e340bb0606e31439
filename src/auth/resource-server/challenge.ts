import type { AuthRefusal } from "../../contract/http-auth.ts";
import { formatChallenge } from "../www-authenticate.ts";
import type { AuthScheme } from "./credentials.ts";

/** The error values of RFC 6750 and RFC 9449. */
export type ChallengeError =
  | "invalid_request"
  | "invalid_token"
  | "insufficient_scope"
  | "invalid_dpop_proof"
  | "use_dpop_nonce";

export interface ChallengeOptions {
  readonly scheme: AuthScheme;
  /** Absent when no token was sent (RFC 6750, section 3.1). */
  readonly error?: ChallengeError;
  readonly message: string;
  readonly scopes: readonly string[];
  readonly metadataUrl: string | undefined;
  /** The algorithms for DPoP proofs; sent in DPoP challenges only. */
  readonly algorithms: readonly string[];
}

/**
 * A refusal whose `WWW-Authenticate` header shows the client how to be let in.
 *
 * basic/authorization#protected-resource-metadata-discovery-requirements (2025-11-25)
 */
export function toChallengeResponse(
  challenge: ChallengeOptions,
  headers: AuthRefusal["headers"] = {},
): AuthRefusal {
  const { scheme, error, message, scopes, metadataUrl, algorithms } = challenge;
  const authenticate = formatChallenge(scheme, [
    ["error", error],
    ["error_description", error && message],
    ["resource_metadata", metadataUrl],
    ["scope", scopes.join(" ") || undefined],
    ["algs", scheme === "DPoP" ? algorithms.join(" ") : undefined],
  ]);
  return {
    status: statusOf(error),
    headers: { ...headers, "www-authenticate": authenticate, "cache-control": "no-store" },
    message,
  };
}

function statusOf(error: ChallengeError | undefined): number {
  switch (error) {
    case "invalid_request":
      return 400;
    case "insufficient_scope":
      return 403;
    default:
      return 401;
  }
}
