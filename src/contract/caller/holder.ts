import { toAddressKey } from "../../lib/bounded/address-key.ts";
import type { Principal } from "./principal.ts";

/** The caller as far as budgets and limits distinguish callers. */
export interface HolderSource {
  readonly principal: Principal | undefined;
  readonly address?: string | undefined;
}

/** The key of the holder that something counts for: its principal, or its address where there is none. */
export function toHolder({ principal, address }: HolderSource): string {
  if (principal) return toPrincipalKey(principal);
  // Callers that can't be distinguished share one allowance.
  return address === undefined ? "unknown" : toAddressKey(address);
}

/**
 * The key of a principal, without its client: a user gets no second allowance from a second client.
 *
 * Tokens that name no user count for their client, so that it gets no second allowance from a second token.
 */
export function toPrincipalKey({ issuer, subject, isToken, client }: Principal): string {
  return JSON.stringify(isToken && client !== undefined ? [issuer, null, client] : [issuer, subject]);
}
