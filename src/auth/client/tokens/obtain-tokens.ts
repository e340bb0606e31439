import type { AddressPolicy } from "../../fetch/address-policy.ts";
import type { SafeFetch } from "../../fetch/safe-fetch.ts";
import type { AccessChallenge } from "../discovery/access-challenge.ts";
import type { AuthorizationRequirements } from "../discovery/authorization-requirements.ts";
import type { Grant, GrantRequest, GrantResult } from "../grant.ts";
import type { OAuthClientInformation } from "../identity/client-information.ts";
import type { ClientRegistry } from "../identity/client-registry.ts";
import type { AuthTrace } from "../trace.ts";
import type { CredentialStore } from "./credential-store.ts";
import { createDpopKeys, type DpopKeys, toDpopHandle } from "./dpop-prover.ts";
import { selectScopes } from "./scope-selection.ts";
import { type StoredTokens, toStoredTokens } from "./stored-tokens.ts";
import { TokenEndpoint, TokenRequestError } from "./token-endpoint.ts";

/** The parts that obtain tokens for one server. */
export interface ObtainTokensOptions {
  readonly store: CredentialStore;
  readonly fetch: SafeFetch;
  readonly trace: AuthTrace;
  readonly grant: Grant;
  readonly registry: ClientRegistry;
  /** The scopes that the host requests. */
  readonly scopes: readonly string[] | undefined;
  readonly dpop: boolean | "auto";
  readonly policy: AddressPolicy;
  /** Called before the user is sent to a login. */
  readonly beforeLogin: () => void;
  readonly signal: AbortSignal;
}

/** Obtains tokens; registers anew and retries once when the authorization server no longer knows the client. */
export async function obtainTokens(
  target: AuthorizationRequirements,
  challenge: AccessChallenge,
  before: readonly string[] | undefined,
  parts: ObtainTokensOptions,
): Promise<StoredTokens> {
  const { server, resource } = target;
  const { grant, registry, fetch, trace, signal } = parts;
  const context = { fetch, trace, signal };
  const sources = { wanted: parts.scopes, challenged: challenge.scopes, listed: target.scopes, before };
  const scopes = selectScopes(sources, server, grant.wantsRefresh);
  const keys = usesDpop(target, parts.dpop) ? await createDpopKeys() : undefined;
  const key = keys && { handle: await toDpopHandle(keys), isRequired: parts.dpop === true };
  let source: OAuthClientInformation["source"] | undefined;
  const request: GrantRequest = {
    server,
    resource,
    scopes,
    context,
    policy: parts.policy,
    beforeLogin: parts.beforeLogin,
    redirectUris: () => registry.redirectUris(server.issuer),
    async identify(options = {}) {
      const identity = await registry.identify(server, options, context);
      source = identity.source;
      return identity;
    },
    tokenEndpoint: (identity) => new TokenEndpoint(server, identity, context, key),
  };
  const granted = await grant.obtain(request).catch(async (error: unknown) => {
    const isUnknownClient = error instanceof TokenRequestError && error.error === "invalid_client";
    if (!isUnknownClient || source !== "registration") throw error;
    await registry.forget(server.issuer);
    return grant.obtain(request);
  });
  return toGrantedTokens(granted, request, grant.types[0], keys);
}

function usesDpop({ requiresDpop, server }: AuthorizationRequirements, option: boolean | "auto"): boolean {
  if (option !== "auto") return option;
  const { dpop_signing_alg_values_supported: algorithms } = server;
  return requiresDpop && (algorithms === undefined || algorithms.includes("ES256"));
}

function toGrantedTokens(
  { identity, tokens }: GrantResult,
  { server, resource, scopes }: GrantRequest,
  grant: string,
  dpop: DpopKeys | undefined,
): StoredTokens {
  const { id: clientId, source } = identity;
  return toStoredTokens(tokens, { issuer: server.issuer, resource, clientId, grant, source, scopes, dpop });
}
