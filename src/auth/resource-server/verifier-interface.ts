import type { ProtectedRequest } from "../../contract/http-auth.ts";
import type { MaybePromise } from "../../lib/async/maybe-promise.ts";
import type { Claims } from "./claims.ts";

/** A token that is valid, though perhaps not for this server. */
export interface VerifiedToken {
  readonly ok: true;
  readonly claims: Claims;
}

/** The claims of a token, or the reason why it is not valid. */
export type TokenVerification = VerifiedToken | { readonly ok: false; readonly problem: string };

/** The request that a token came with, and the audience it must have. */
export interface VerifyInfo {
  /** The audiences that are accepted. */
  readonly audience: readonly string[];
  readonly request: ProtectedRequest;
}

/** Verifies tokens and reads their claims. Rejects with VerifierUnavailableError when that is not possible now. */
export interface TokenVerifier {
  /** The authorization servers whose tokens it accepts. */
  readonly issuers: readonly string[];
  /** The same object again for a token whose verification it remembers. */
  verify(token: string, info: VerifyInfo): MaybePromise<TokenVerification>;
}

/**
 * Returns the claims of a token; undefined when it is not valid.
 *
 * `sub` and `aud` are required. `aud`, `iss`, `exp` and `nbf` are checked afterwards.
 */
export type VerifyToken = (
  token: string,
  info: VerifyInfo,
) => Claims | undefined | Promise<Claims | undefined>;

/** The issuer or a store did not answer, so nothing is known about the token. */
export class VerifierUnavailableError extends Error {}

export function unverified(problem: string): TokenVerification {
  return { ok: false, problem };
}
