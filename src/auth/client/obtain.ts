import type { AddressPolicy } from "./address.ts";
import type { AccessChallenge } from "./challenge.ts";
import type { ClientIdentity } from "./client-identity.ts";
import type { ClientRegistry } from "./client-registry.ts";
import { grantedTokens } from "./credentials.ts";
import { createDpopKeys, openDpop } from "./dpop.ts";
import type { Grant, GrantRequest } from "./grant.ts";
import type { SafeFetch } from "./safe-fetch.ts";
import { selectScopes } from "./scopes.ts";
import type { CredentialStore } from "./store.ts";
import type { StoredTokens } from "./stored.ts";
import type { AuthTarget } from "./target.ts";
import { TokenEndpoint, TokenRefused } from "./token-endpoint.ts";
import type { Trace } from "./trace.ts";

/** What tokens are obtained with. */
export interface Obtaining {
  readonly store: CredentialStore;
  readonly fetch: SafeFetch;
  readonly trace: Trace;
  readonly grant: Grant;
  readonly registry: ClientRegistry;
  /** The scopes that the host asks for. */
  readonly scopes: readonly string[] | undefined;
  readonly dpop: boolean | "auto";
  readonly policy: AddressPolicy;
  readonly signal: AbortSignal;
}

/** Obtains tokens; once more as a new client when the authorization server has forgotten this one. */
export async function obtain(
  target: AuthTarget,
  challenge: AccessChallenge,
  before: readonly string[] | undefined,
  parts: Obtaining,
): Promise<StoredTokens> {
  const { server, resource } = target;
  const { grant, registry, fetch, trace, signal } = parts;
  const discovery = { fetch, trace, signal };
  const sources = { wanted: parts.scopes, challenged: challenge.scopes, listed: target.scopes, before };
  const scopes = selectScopes(sources, server, grant.wantsRefresh);
  const keys = usesDpop(target, parts.dpop) ? await createDpopKeys() : undefined;
  const dpop = keys && (await openDpop(keys));
  let source: ClientIdentity["source"] | undefined;
  const request: GrantRequest = {
    server,
    resource,
    scopes,
    discovery,
    policy: parts.policy,
    redirectUris: () => registry.redirectUris(server.issuer),
    async identify(wish = {}) {
      const identity = await registry.identify(server, wish, discovery);
      source = identity.source;
      return identity;
    },
    endpoint: (identity) => new TokenEndpoint(server, identity, discovery, dpop),
  };
  const granted = await grant.obtain(request).catch(async (error: unknown) => {
    const isForgotten = error instanceof TokenRefused && error.error === "invalid_client";
    if (!isForgotten || source !== "registration") throw error;
    await registry.forget(server.issuer);
    return grant.obtain(request);
  });
  return grantedTokens(granted, request, grant.types[0], keys);
}

function usesDpop({ requiresDpop, server }: AuthTarget, wish: boolean | "auto"): boolean {
  if (wish !== "auto") return wish;
  const { dpop_signing_alg_values_supported: algorithms } = server;
  return requiresDpop && (algorithms === undefined || algorithms.includes("ES256"));
}
