import { sha256 } from "../../lib/encoding/sha256.ts";
import type { RegisteredClient } from "./clients/client-metadata.ts";
import { invalidGrantError, OAuthError } from "./http/oauth-error.ts";
import type { GrantHandler } from "./token-endpoint.ts";
import { type Audiences, toGrantedAudience } from "./tokens/audience.ts";
import type { AuthorizationGrant } from "./tokens/authorization-grant.ts";
import type { GrantStore } from "./tokens/grant-store.ts";
import type { TokenIssuer } from "./tokens/token-issuer.ts";

export interface GrantHandlerOptions {
  readonly grants: GrantStore;
  readonly tokenIssuer: TokenIssuer;
  readonly audiences: Audiences;
  /** Decides at each refresh whether a grant may continue. Default: until it expires. */
  readonly mayContinue?: (grant: AuthorizationGrant) => Promise<boolean>;
}

/** Exchanges a code for tokens (RFC 6749, section 4.1.3), with PKCE (RFC 7636). */
export function authorizationCodeGrant({
  grants,
  tokenIssuer,
  audiences,
}: GrantHandlerOptions): GrantHandler {
  return async ({ client, form, thumbprint }) => {
    const verifier = form.require("code_verifier");
    const code = form.require("code");
    const { record, spend } = await grants.findCode(code, client.client_id);
    const redirectUri = form.get("redirect_uri");
    if (redirectUri === undefined ? record.namedRedirectUri : redirectUri !== record.redirectUri) {
      throw invalidGrantError("The redirect_uri is not the one of the authorization request.");
    }
    if (!/^[\w.~-]{43,128}$/.test(verifier) || (await sha256(verifier)) !== record.codeChallenge) {
      throw invalidGrantError("The code_verifier does not match the code_challenge.");
    }
    if (record.thumbprint !== undefined && record.thumbprint !== thumbprint) {
      throw invalidGrantError("The code is bound to another key.");
    }
    const grant = bindTo(client, record.grant, thumbprint);
    const audience = toGrantedAudience(form.all("resource"), grant.resources, audiences);
    const refresh = client.grant_types.includes("refresh_token");
    return tokenIssuer.issue({ grant, audience, scopes: grant.scopes, thumbprint, refresh, spend });
  };
}

/**
 * Exchanges a refresh token for tokens, and replaces it (RFC 6749, section 6; OAuth 2.1, section 4.3.1).
 *
 * basic/authorization#token-theft (2025-11-25)
 */
export function refreshTokenGrant(options: GrantHandlerOptions): GrantHandler {
  const { grants, tokenIssuer, audiences, mayContinue = async () => true } = options;
  return async ({ client, form, thumbprint }) => {
    const token = form.require("refresh_token");
    const { record: grant, spend } = await grants.findRefreshToken(token, client.client_id);
    if (grant.thumbprint !== undefined && grant.thumbprint !== thumbprint) {
      throw invalidGrantError("The refresh token is bound to another key.");
    }
    const requested = form.list("scope");
    if (!requested.every((scope) => grant.scopes.includes(scope))) {
      throw new OAuthError("invalid_scope", "The scope exceeds what was granted.");
    }
    // Every check comes before the token is spent, so that an invalid request does not lose it.
    const audience = toGrantedAudience(form.all("resource"), grant.resources, audiences);
    if (!(await mayContinue(grant))) throw invalidGrantError("The user no longer has access.");
    const scopes = requested.length > 0 ? requested : grant.scopes;
    return tokenIssuer.issue({ grant, audience, scopes, thumbprint, refresh: true, spend });
  };
}

/** Binds the refresh tokens of a public client to its key; others are bound by client authentication (RFC 9449, section 5). */
function bindTo(
  client: RegisteredClient,
  grant: AuthorizationGrant,
  thumbprint: string | undefined,
): AuthorizationGrant {
  const isPublic = client.token_endpoint_auth_method === "none";
  return isPublic && thumbprint !== undefined ? { ...grant, thumbprint } : grant;
}
