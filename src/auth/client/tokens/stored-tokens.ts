import type { TokenEndpointResponse } from "oauth4webapi";
import { isObject } from "../../../lib/json.ts";
import type { OAuthClientInformation } from "../identity/client-information.ts";
import type { CredentialStore } from "./credential-store.ts";
import type { DpopKeys } from "./dpop-prover.ts";

/** Which credentials are for a server. */
export interface TokenBinding {
  readonly issuer: string;
  readonly resource: string;
  readonly clientId: string;
  /** How they were obtained: a client that acts for itself is not the user who logs in with it. */
  readonly grant: string;
}

/** Tokens as they are kept: for one resource, from one authorization server, to one client. */
export interface StoredTokens extends TokenBinding {
  readonly accessToken: string;
  readonly tokenType: string;
  /** In milliseconds since 1970; absent when the server did not say. */
  readonly expiresAt?: number | undefined;
  readonly refreshToken?: string | undefined;
  /** All that were asked for. */
  readonly scopes?: readonly string[] | undefined;
  readonly dpop?: DpopKeys | undefined;
  readonly source: OAuthClientInformation["source"];
}

// Enough for a request to arrive before the token ends, whatever the clocks say.
const marginMs = 30_000;

/** Whether a token has ended, or is about to. A short life is not all margin. */
export function isTokenExpired({ expiresAt }: StoredTokens): boolean {
  return expiresAt !== undefined && Date.now() > expiresAt;
}

/** Tokens as they are kept, from the answer of a token endpoint. */
export function toStoredTokens(
  response: TokenEndpointResponse,
  about: TokenBinding & Pick<StoredTokens, "scopes" | "source" | "dpop" | "refreshToken">,
): StoredTokens {
  const { access_token: accessToken, token_type: tokenType, expires_in: seconds, refresh_token } = response;
  const { issuer, resource, clientId, grant, scopes, source, dpop } = about;
  const refreshToken = refresh_token ?? about.refreshToken;
  const lifeMs = seconds === undefined ? undefined : seconds * 1000;
  return {
    issuer,
    resource,
    clientId,
    grant,
    source,
    accessToken,
    tokenType,
    ...(lifeMs !== undefined && { expiresAt: Date.now() + lifeMs - Math.min(marginMs, lifeMs / 2) }),
    ...(refreshToken !== undefined && { refreshToken }),
    ...(scopes && { scopes }),
    ...(dpop && { dpop }),
  };
}

/** A name that no other parts can give. */
export function storeKey(kind: string, ...parts: readonly string[]): string {
  return JSON.stringify([kind, ...parts]);
}

export function tokensKey({ issuer, resource, clientId, grant }: TokenBinding): string {
  return storeKey("tokens", issuer, resource, clientId, grant);
}

/** What is kept under a key; undefined when there is nothing, or nothing that can be read. */
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
