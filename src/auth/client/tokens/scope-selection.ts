import type { AuthorizationServer } from "oauth4webapi";

const offline = "offline_access";

export interface ScopeSources {
  /** Those that the host asks for. */
  readonly wanted: readonly string[] | undefined;
  /** Those of the challenge. */
  readonly challenged: readonly string[] | undefined;
  /** Those that the resource metadata lists. */
  readonly listed: readonly string[] | undefined;
  /** Those that were asked for before, at the same authorization server. */
  readonly before: readonly string[] | undefined;
}

/**
 * The scopes to ask for, undefined for whatever the authorization server gives by itself.
 *
 * The challenge counts more than the list; what was asked for before is never lost. A refresh
 * token is asked for only where `offline_access` is offered.
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
