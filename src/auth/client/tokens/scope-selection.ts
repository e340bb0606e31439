import type { AuthorizationServer } from "oauth4webapi";

const offline = "offline_access";

export interface ScopeSources {
  /** The scopes that the host requests. */
  readonly wanted: readonly string[] | undefined;
  /** The scopes of the challenge. */
  readonly challenged: readonly string[] | undefined;
  /** The scopes that the resource metadata lists. */
  readonly listed: readonly string[] | undefined;
  /** The scopes that were requested before, at the same authorization server. */
  readonly before: readonly string[] | undefined;
}

/**
 * The scopes to request; undefined for the default of the authorization server.
 *
 * The challenge takes precedence over the list; earlier scopes are kept. `offline_access` is
 * requested only where it is offered.
 *
 * basic/authorization#scope-selection-strategy (2025-11-25)
 */
export function selectScopes(
  sources: ScopeSources,
  server: AuthorizationServer,
  wantsRefresh: boolean,
): readonly string[] | undefined {
  const { wanted, challenged, listed, before } = sources;
  const needed = wanted || challenged ? unionScopes(wanted, challenged) : listed;
  const scopes = unionScopes(before, needed).filter((scope) => scope !== offline);
  if (scopes.length === 0) return undefined;
  const isOffered = server.scopes_supported?.includes(offline) === true;
  return wantsRefresh && isOffered ? [...scopes, offline] : scopes;
}

export function unionScopes(...lists: readonly (readonly string[] | undefined)[]): string[] {
  return [...new Set(lists.flatMap((list) => list ?? []))];
}
