import type { RegisteredClient } from "../clients/client-metadata.ts";
import { OAuthError } from "../http/oauth-error.ts";
import type { RequestParameters } from "../http/request-parameters.ts";
import type { GrantHandler } from "../token-endpoint.ts";
import { toAudience } from "../tokens/audience.ts";
import { createAuthorizationGrant } from "../tokens/authorization-grant.ts";
import type { DevIssuer } from "./dev-issuer.ts";

/** Tokens for a client in its own name (RFC 6749, 4.4). */
export function clientCredentialsGrant(issuer: DevIssuer): GrantHandler {
  return async ({ client, form, thumbprint }) => {
    assertConfidentialClient(client);
    const scopes = readScopes(issuer, client, form);
    const resources = form.all("resource");
    const audience = toAudience(resources, [], issuer.audiences);
    const { client_id: id } = client;
    const grant = createAuthorizationGrant({ clientId: id, subject: id, scopes, resources });
    return issuer.tokenIssuer.issue({ grant, audience, scopes, thumbprint, refresh: false });
  };
}

/** Throws for a client that proves nothing, which anybody can be. */
export function assertConfidentialClient(client: RegisteredClient): void {
  if (client.token_endpoint_auth_method !== "none") return;
  throw new OAuthError("unauthorized_client", "Only a client that authenticates may do this.");
}

/** Throws for scopes that don't exist, or that the client did not register. */
export function readScopes(
  issuer: DevIssuer,
  client: RegisteredClient,
  form: RequestParameters,
): readonly string[] {
  const scopes = form.list("scope");
  const registered = client.scope?.split(" ") ?? issuer.scopes;
  const unknown = scopes.find((scope) => !issuer.scopes.includes(scope) || !registered.includes(scope));
  if (unknown === undefined) return scopes;
  throw new OAuthError("invalid_scope", `The scope ${JSON.stringify(unknown)} is not for this client.`);
}
