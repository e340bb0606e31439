import type { Principal } from "../../contract/caller/principal.ts";

const tokens = new WeakMap<Principal, string>();

/**
 * Keeps the token of a caller out of the principal, so that no handler passes it on.
 *
 * The token is for this server only: a service that receives it could act as the caller here
 *
 * basic/authorization#access-token-privilege-restriction (2025-11-25)
 */
export function rememberCallerToken(principal: Principal, token: string): void {
  tokens.set(principal, token);
}

/** The token of a caller, to be exchanged for a token for another service. */
export function callerToken(principal: Principal): string | undefined {
  return tokens.get(principal);
}
