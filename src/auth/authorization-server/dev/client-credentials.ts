import type { GrantHandler } from "../token-endpoint.ts";
import { toAudience } from "../tokens/audience.ts";
import { createAuthorizationGrant } from "../tokens/authorization-grant.ts";
import { assertConfidentialClient, readScopes } from "./client-permissions.ts";
import type { DevIssuer } from "./dev-issuer.ts";

/** Issues tokens to a client for itself (RFC 6749, section 4.4). */
export function clientCredentialsGrant(issuer: DevIssuer): GrantHandler {
  return async ({ client, form, thumbprint }) => {
    assertConfidentialClient(client);
    const scopes = readScopes(issuer, client, form);
    const resources = form.all("resource");
    const audience = toAudience(resources, issuer.audiences);
    const { client_id: id } = client;
    const grant = createAuthorizationGrant({ clientId: id, subject: id, scopes, resources });
    return issuer.tokenIssuer.issue({ grant, audience, scopes, thumbprint, refresh: false });
  };
}
