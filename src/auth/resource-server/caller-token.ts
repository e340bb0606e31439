import type { Principal } from "../../contract/principal.ts";

const tokens = new WeakMap<Principal, string>();

/**
 * Keeps the token of a caller where no handler comes across it.
 *
 * It is good for this server only; who sends it on lets the next service act as the caller here.
 */
export function rememberCallerToken(principal: Principal, token: string): void {
  tokens.set(principal, token);
}

/** The token that a caller came with, to be exchanged for another. */
export function callerToken(principal: Principal): string | undefined {
  return tokens.get(principal);
}
