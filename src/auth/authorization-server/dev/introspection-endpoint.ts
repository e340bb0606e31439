import { authenticateClient, type ClientAuthenticationOptions } from "../clients/client-authentication.ts";
import { invalidClientError } from "../http/oauth-error.ts";
import { readForm } from "../http/request-parameters.ts";
import { jsonResponse } from "../http/response.ts";
import type { OAuthEndpoint } from "../http/router.ts";
import type { DevIssuer } from "./dev-issuer.ts";

/** Returns the claims of a token to clients that authenticate (RFC 7662). */
export function introspectionEndpoint(
  { tokenIssuer, grants }: DevIssuer,
  authentication: ClientAuthenticationOptions,
): OAuthEndpoint {
  const answer = async (request: Request): Promise<Response> => {
    const form = await readForm(request);
    const client = await authenticateClient(request, form, authentication);
    if (client.token_endpoint_auth_method === "none")
      throw invalidClientError("A public client must not use introspection.");
    const token = form.require("token");
    const claims = await tokenIssuer.verifyAccessToken(token);
    if (claims) return jsonResponse({ ...claims, active: true, token_type: claims.cnf ? "DPoP" : "Bearer" });
    const grant = await grants.findByRefreshToken(token);
    if (grant === undefined) return jsonResponse({ active: false });
    const { subject, clientId, scopes, expiresAt } = grant;
    const exp = Math.floor(expiresAt / 1000);
    return jsonResponse({ active: true, sub: subject, client_id: clientId, scope: scopes.join(" "), exp });
  };
  return { POST: answer, allowAnyOrigin: true };
}
