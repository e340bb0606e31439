import { randomToken } from "../../../lib/encoding/random-token.ts";
import type { JsonObject } from "../../../lib/json.ts";

/** The access that a user, or the client itself, has granted to a client. */
export interface AuthorizationGrant {
  readonly id: string;
  readonly clientId: string;
  readonly subject: string;
  readonly scopes: readonly string[];
  /** The resources of its tokens; empty when the client named none. */
  readonly resources: readonly string[];
  /** Further claims of access tokens. */
  readonly claims: JsonObject;
  /** Claims of ID tokens. */
  readonly profile: JsonObject;
  /** The time of the login, in seconds since 1970. */
  readonly authTime: number;
  readonly nonce?: string;
  /** The end of the grant, in milliseconds since 1970. */
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
  /** The time during which it can be refreshed. Default 0. */
  readonly refreshMs?: number;
}

export function createAuthorizationGrant(options: AuthorizationGrantOptions): AuthorizationGrant {
  const { refreshMs = 0, nonce, claims = {}, profile = {}, ...rest } = options;
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
