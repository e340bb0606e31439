import type { Principal } from "../../contract/principal.ts";
import { longestDelayMs } from "../../lib/timers.ts";

/** Clocks differ, so a token that was good when it came is good for a moment at least. */
const graceMs = 5_000;

/**
 * How long a connection may last that was opened with a token, which nobody looks at again.
 *
 * Undefined means indefinitely: the token has no end, or there was none.
 */
export function tokenLifetimeMs(principal: Principal | undefined): number | undefined {
  const exp = principal?.claims?.exp;
  if (typeof exp !== "number") return undefined;
  return Math.min(Math.max(exp * 1000 + graceMs - Date.now(), 0), longestDelayMs);
}
