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
