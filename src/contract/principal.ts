import type { Principal } from "./call.ts";

/** One string for each principal, to which what must not reach another is bound; empty for nobody in particular. */
export function toOwner(principal: Principal | undefined): string {
  return principal === undefined
    ? ""
    : JSON.stringify([principal.issuer, principal.subject, principal.client]);
}
