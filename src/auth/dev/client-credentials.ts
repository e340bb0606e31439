import { toAudience } from "../issuer/audience.ts";
import type { RegisteredClient } from "../issuer/client-metadata.ts";
import { createGrant } from "../issuer/grant.ts";
import type { Parameters } from "../issuer/parameters.ts";
import { Refusal } from "../issuer/refusal.ts";
import type { GrantHandler } from "../issuer/token-endpoint.ts";
import type { DevIssuer } from "./dev-issuer.ts";

/** Tokens for a client in its own name (RFC 6749, 4.4). */
export function clientCredentials(issuer: DevIssuer): GrantHandler {
  return async ({ client, form, thumbprint }) => {
    assertConfidential(client);
    const scopes = readScopes(issuer, client, form);
    const resources = form.all("resource");
    const audience = toAudience(resources, [], issuer.audiences);
    const { client_id: id } = client;
    const grant = createGrant({ clientId: id, subject: id, scopes, resources });
    return issuer.minter.mint({ grant, audience, scopes, thumbprint, refresh: false });
  };
}

/** Throws for a client that proves nothing, which anybody can be. */
export function assertConfidential(client: RegisteredClient): void {
  if (client.token_endpoint_auth_method !== "none") return;
  throw new Refusal("unauthorized_client", "Only a client that authenticates may do this.");
}

/** Throws for scopes that don't exist, or that the client did not register. */
export function readScopes(issuer: DevIssuer, client: RegisteredClient, form: Parameters): readonly string[] {
  const scopes = form.list("scope");
  const registered = client.scope?.split(" ") ?? issuer.scopes;
  const unknown = scopes.find((scope) => !issuer.scopes.includes(scope) || !registered.includes(scope));
  if (unknown === undefined) return scopes;
  throw new Refusal("invalid_scope", `The scope ${JSON.stringify(unknown)} is not for this client.`);
}
