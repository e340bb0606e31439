import type { RegisteredClient } from "../clients/client-metadata.ts";
import { OAuthError } from "../http/oauth-error.ts";
import type { RequestParameters } from "../http/request-parameters.ts";
import type { DevIssuer } from "./dev-issuer.ts";

/** Throws OAuthError for a public client, which anybody can pretend to be. */
export function assertConfidentialClient(client: RegisteredClient): void {
  if (client.token_endpoint_auth_method !== "none") return;
  throw new OAuthError("unauthorized_client", "This grant type is only for clients that authenticate.");
}

/** Reads the requested scopes. Throws OAuthError for those that do not exist or are not registered. */
export function readScopes(
  issuer: DevIssuer,
  client: RegisteredClient,
  form: RequestParameters,
): readonly string[] {
  const scopes = form.list("scope");
  const registered = client.scope?.split(" ") ?? issuer.scopes;
  const unknown = scopes.find((scope) => !issuer.scopes.includes(scope) || !registered.includes(scope));
  if (unknown === undefined) return scopes;
  throw new OAuthError(
    "invalid_scope",
    `The scope ${JSON.stringify(unknown)} is not available to this client.`,
  );
}
