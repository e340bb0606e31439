import { longestDelayMs, runLater } from "../../lib/async/timers.ts";
import type { Principal } from "./principal.ts";

/** Clocks differ, so a token that was valid on arrival stays valid for at least this long. */
const graceMs = 5_000;

/**
 * Runs `end` when the token of a principal expires, unless the returned function is called before.
 *
 * For connections that outlive the request that opened them: their token is checked only once.
 */
export function atTokenExpiry(principal: Principal | undefined, end: () => void): () => void {
  const lifetimeMs = tokenLifetimeMs(principal);
  if (lifetimeMs === undefined) return nothingToStop;
  const timer = runLater(end, lifetimeMs);
  return () => clearTimeout(timer);
}

const nothingToStop = (): void => {};

/** The rest of a token's lifetime; undefined for no limit: it does not expire, or there is none. */
export function tokenLifetimeMs(principal: Principal | undefined): number | undefined {
  const exp = principal?.claims?.exp;
  if (exp === undefined || exp === null) return undefined;
  // Claims are checked as numbers too, whatever type an issuer gives them.
  const restMs = Number(exp) * 1000 + graceMs - Date.now();
  return Math.min(Math.max(Number.isNaN(restMs) ? 0 : restMs, 0), longestDelayMs);
}
