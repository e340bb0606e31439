import type { JsonObject } from "../../../lib/json.ts";
import { randomToken } from "../../../lib/random-token.ts";

/** What somebody allowed a client. */
export interface AuthorizationGrant {
  readonly id: string;
  readonly clientId: string;
  readonly subject: string;
  readonly scopes: readonly string[];
  /** Where its tokens are good; empty when the client named none. */
  readonly resources: readonly string[];
  /** What access tokens say of the subject beyond that. */
  readonly claims: JsonObject;
  /** What ID tokens say of the subject. */
  readonly profile: JsonObject;
  /** When the subject proved who it is, in seconds. */
  readonly authTime: number;
  readonly nonce?: string;
  /** Nothing comes of it after this, in milliseconds. */
  readonly expiresAt: number;
  /** The key that refresh tokens are bound to. */
  readonly thumbprint?: string;
}

export interface AuthorizationGrantOptions {
  readonly clientId: string;
  readonly subject: string;
  readonly scopes: readonly string[];
  readonly resources: readonly string[];
  readonly claims?: JsonObject;
  readonly profile?: JsonObject;
  readonly nonce?: string | undefined;
  /** For how long it can be refreshed. Default not at all. */
  readonly refreshMs?: number;
}

export function createAuthorizationGrant(granting: AuthorizationGrantOptions): AuthorizationGrant {
  const { refreshMs = 0, nonce, claims = {}, profile = {}, ...rest } = granting;
  const now = Date.now();
  return {
    ...rest,
    id: randomToken(),
    claims,
    profile,
    authTime: Math.floor(now / 1000),
    expiresAt: now + refreshMs,
    ...(nonce !== undefined && { nonce }),
  };
}
