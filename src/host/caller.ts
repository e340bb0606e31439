import type { Isolation } from "../contract/caller/isolation.ts";
import type { Principal } from "../contract/caller/principal.ts";
import { toOwner } from "../contract/caller/principal.ts";
import { UsageError } from "../errors.ts";

/** Somebody on whose behalf the host calls tools. */
export interface Caller {
  readonly principal?: Principal | undefined;
  /** A conversation, or another unit of work, of the principal. */
  readonly session?: string | undefined;
}

/** The part of a caller that servers may know: nothing, where callers share a connection. */
export function visibleCaller(isolation: Isolation, { principal, session }: Caller): Caller {
  if (isolation === "shared") return {};
  if (isolation === "per-principal") return { principal };
  return { principal, session };
}

/** The key of the callers that share connections. Throws UsageError for a caller that can't be identified. */
export function toScope(isolation: Isolation, { principal, session }: Caller): string {
  if (isolation === "shared") return "";
  if (isolation === "per-principal" && principal === undefined)
    throw new UsageError('With isolation "per-principal", use host.for({ principal }) for every call.');
  if (isolation === "per-session" && !session)
    throw new UsageError('With isolation "per-session", use host.for({ session }) for every call.');
  const owner = toOwner(principal);
  return JSON.stringify(isolation === "per-session" ? [owner, session] : [owner]);
}
