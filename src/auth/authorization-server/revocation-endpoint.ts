import { authenticateClient, type ClientAuthenticationOptions } from "./clients/client-authentication.ts";
import { readForm } from "./http/request-parameters.ts";
import type { OAuthEndpoint } from "./http/router.ts";
import type { GrantStore } from "./tokens/grant-store.ts";
import type { TokenIssuer } from "./tokens/token-issuer.ts";

export interface RevocationOptions extends ClientAuthenticationOptions {
  readonly tokenIssuer: TokenIssuer;
  readonly grants: GrantStore;
}

/** Revokes a token (RFC 7009): an access token alone, a refresh token with its whole grant. */
export function revocationEndpoint(options: RevocationOptions): OAuthEndpoint {
  const { tokenIssuer, grants } = options;
  const answer = async (request: Request): Promise<Response> => {
    const form = await readForm(request);
    const { client_id: id } = await authenticateClient(request, form, options);
    const token = form.require("token");
    const claims = await tokenIssuer.verifyAccessToken(token);
    if (claims?.client_id === id) await tokenIssuer.revokeAccessToken(claims);
    const grant = await grants.findByRefreshToken(token);
    if (grant?.clientId === id) await grants.revoke(grant.id, grant.expiresAt - Date.now());
    // RFC 7009, section 2.2: an unknown token is answered as if it were revoked.
    return new Response(null, { status: 200 });
  };
  return { POST: answer, allowAnyOrigin: true };
}
