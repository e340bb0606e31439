import type { ProtectedRequest } from "../../contract/http-auth.ts";
import type { Claims } from "./claims.ts";

/** What is known of a token: what it says, or why it can't be believed. */
export type TokenVerification =
  | { readonly ok: true; readonly claims: Claims }
  | { readonly ok: false; readonly problem: string };

/** Where a token came to. */
export interface VerifyInfo {
  /** For whom tokens must have been issued. */
  readonly audience: readonly string[];
  readonly request: ProtectedRequest;
}

/** Finds out what a token says. Rejects with Unavailable when that can't be known now. */
export interface TokenVerifier {
  /** The authorization servers whose tokens it knows. */
  readonly issuers: readonly string[];
  verify(token: string, info: VerifyInfo): Promise<TokenVerification>;
}

/**
 * What a token says; undefined when it is not good.
 *
 * `sub` and `aud` must be there. `aud`, `iss`, `exp` and `nbf` are checked afterwards.
 */
export type VerifyToken = (
  token: string,
  info: VerifyInfo,
) => Claims | undefined | Promise<Claims | undefined>;

/** Whoever had to be asked about a token did not answer, which says nothing about the token. */
export class VerifierUnavailableError extends Error {}

export function unverified(problem: string): TokenVerification {
  return { ok: false, problem };
}
