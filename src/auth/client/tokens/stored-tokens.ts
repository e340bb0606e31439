import type { TokenEndpointResponse } from "oauth4webapi";
import { isObject } from "../../../lib/json.ts";
import type { OAuthClientInformation } from "../identity/client-information.ts";
import type { CredentialStore } from "./credential-store.ts";
import type { DpopKeys } from "./dpop-prover.ts";

/** The issuer, resource, client and grant that tokens belong to. */
export interface TokenBinding {
  readonly issuer: string;
  readonly resource: string;
  readonly clientId: string;
  /** The grant type: tokens of a client that acts for itself are not those of its user. */
  readonly grant: string;
}

/** Tokens in the credential store: for one resource, of one authorization server, for one client. */
export interface StoredTokens extends TokenBinding {
  readonly accessToken: string;
  readonly tokenType: string;
  /** In milliseconds since 1970; absent when the server sent no expiry. */
  readonly expiresAt?: number | undefined;
  readonly refreshToken?: string | undefined;
  /** All scopes that were requested. */
  readonly scopes?: readonly string[] | undefined;
  readonly dpop?: DpopKeys | undefined;
  readonly source: OAuthClientInformation["source"];
}

// Enough time for a request to arrive before the token expires, even if clocks differ.
const marginMs = 30_000;

/** True for a token that has expired or is about to. The margin is at most half of its lifetime. */
export function isTokenExpired({ expiresAt }: StoredTokens): boolean {
  return expiresAt !== undefined && Date.now() >= expiresAt;
}

/** The stored form of a token response. */
export function toStoredTokens(
  response: TokenEndpointResponse,
  binding: TokenBinding & Pick<StoredTokens, "scopes" | "source" | "dpop" | "refreshToken">,
): StoredTokens {
  const { access_token: accessToken, token_type: tokenType, expires_in: seconds, refresh_token } = response;
  const { issuer, resource, clientId, grant, scopes, source, dpop } = binding;
  const refreshToken = refresh_token ?? binding.refreshToken;
  const lifetimeMs = seconds === undefined ? undefined : seconds * 1000;
  return {
    issuer,
    resource,
    clientId,
    grant,
    source,
    accessToken,
    tokenType,
    ...(lifetimeMs !== undefined && {
      expiresAt: Date.now() + lifetimeMs - Math.min(marginMs, lifetimeMs / 2),
    }),
    ...(refreshToken !== undefined && { refreshToken }),
    ...(scopes && { scopes }),
    ...(dpop && { dpop }),
  };
}

/** A store key that no other kind and parts can produce. */
export function storeKey(kind: string, ...parts: readonly string[]): string {
  return JSON.stringify([kind, ...parts]);
}

export function tokensKey({ issuer, resource, clientId, grant }: TokenBinding): string {
  return storeKey("tokens", issuer, resource, clientId, grant);
}

/** Reads the record under a key; undefined when it is missing or cannot be parsed. */
export async function readStored<T>(store: CredentialStore, key: string): Promise<T | undefined> {
  const text = await store.get(key);
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? (value as T) : undefined;
  } catch {
    return undefined;
  }
}
