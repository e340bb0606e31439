import type { JsonObject } from "../../../lib/json.ts";
import { toAudience } from "../tokens/audience.ts";
import { createAuthorizationGrant } from "../tokens/authorization-grant.ts";
import type { DevIssuer } from "./dev-issuer.ts";

export interface DevTokenOptions {
  /** Default: the first user. */
  readonly subject?: string;
  /** Default `dev-client`. */
  readonly client?: string;
  readonly scopes?: readonly string[];
  /** The audience of the token. */
  readonly resource?: string | readonly string[];
  readonly claims?: JsonObject;
  /** The lifetime; negative for an expired token. */
  readonly expiresInSeconds?: number;
  /** The thumbprint of the key that a DPoP token is bound to. */
  readonly thumbprint?: string;
}

/** Issues an access token without a login. */
export async function issueToken(issuer: DevIssuer, options: DevTokenOptions = {}): Promise<string> {
  const { subject = issuer.users[0]?.subject ?? "dev", scopes = [], resource = [] } = options;
  const resources = typeof resource === "string" ? [resource] : resource;
  const claims = options.claims ?? issuer.users.find((user) => user.subject === subject)?.claims ?? {};
  const clientId = options.client ?? "dev-client";
  const { access_token: token } = await issuer.tokenIssuer.issue({
    grant: createAuthorizationGrant({ clientId, subject, scopes, resources, claims }),
    audience: toAudience(resources, issuer.audiences),
    scopes: scopes.filter((scope) => scope !== "openid"),
    thumbprint: options.thumbprint,
    refresh: false,
    ...(options.expiresInSeconds !== undefined && { accessSeconds: options.expiresInSeconds }),
  });
  return token;
}
