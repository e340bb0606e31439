import type { JsonObject } from "../lib/json.ts";

/** The identity of a caller, as far as authorization established it. */
export interface Principal {
  readonly issuer: string;
  readonly subject: string;
  readonly client?: string;
  readonly scopes?: readonly string[];
  readonly claims?: JsonObject;
}

/**
 * The key that binds stored data to one principal, so that no other principal reaches it.
 *
 * Empty for callers without a principal: they share their data.
 */
export function toOwner(principal: Principal | undefined): string {
  return principal === undefined
    ? ""
    : JSON.stringify([principal.issuer, principal.subject, principal.client]);
}
