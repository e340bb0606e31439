import type { RegisteredClient } from "./clients/client-metadata.ts";
import type { ClientStore } from "./clients/client-store.ts";
import { isRegisteredRedirectUri } from "./clients/redirect-uri.ts";
import { invalidRequestError, OAuthError } from "./http/oauth-error.ts";
import type { RequestParameters } from "./http/request-parameters.ts";
import { type Audiences, assertResources } from "./tokens/audience.ts";

/** A valid authorization request of a client. */
export interface AuthorizationRequest {
  readonly client: RegisteredClient;
  readonly redirectUri: string;
  readonly namedRedirectUri: boolean;
  readonly state?: string;
  readonly codeChallenge: string;
  readonly scopes: readonly string[];
  readonly resources: readonly string[];
  readonly nonce?: string;
  readonly prompt: readonly string[];
  readonly loginHint?: string;
  readonly thumbprint?: string;
}

/** The redirect URI and the state of an authorization response, success or error. */
export interface RedirectTarget {
  readonly redirectUri: string;
  readonly state?: string | undefined;
}

export interface AuthorizationRules {
  readonly clients: ClientStore;
  readonly scopes: readonly string[];
  readonly audiences: Audiences;
}

/** Reads the client and its redirect URI. Throws an OAuthError that may be shown to the user only. */
export async function readRedirectTarget(
  query: RequestParameters,
  clients: ClientStore,
  http: Request,
): Promise<{ client: RegisteredClient; target: RedirectTarget }> {
  const client = await clients.find(query.require("client_id"), http);
  const requested = query.get("redirect_uri");
  const [only, ...others] = client.redirect_uris;
  const redirectUri = requested ?? (others.length === 0 ? only : undefined);
  if (redirectUri === undefined) throw invalidRequestError("The request must name its redirect_uri.");
  // A redirect to an unregistered URI would hand the code to an attacker (RFC 9700, section 4.1).
  // basic/authorization#open-redirection (2025-11-25)
  if (!isRegisteredRedirectUri(redirectUri, client.redirect_uris)) {
    throw invalidRequestError(
      `The redirect_uri ${JSON.stringify(redirectUri)} is not one that the client registered.`,
    );
  }
  return { client, target: { redirectUri, state: query.get("state") } };
}

/** Reads the other parameters. Throws an OAuthError that may be sent to the client. */
export function readAuthorizationRequest(
  query: RequestParameters,
  client: RegisteredClient,
  { redirectUri, state }: RedirectTarget,
  rules: AuthorizationRules,
): AuthorizationRequest {
  assertSupported(query, client);
  const scopes = query.list("scope");
  const unknown = scopes.find((scope) => !rules.scopes.includes(scope));
  if (unknown !== undefined) {
    throw new OAuthError("invalid_scope", `The scope ${JSON.stringify(unknown)} is not supported.`);
  }
  const resources = query.all("resource");
  assertResources(resources, rules.audiences);
  const [nonce, loginHint, thumbprint] = [query.get("nonce"), query.get("login_hint"), query.get("dpop_jkt")];
  return {
    client: withoutSecret(client),
    redirectUri,
    namedRedirectUri: query.get("redirect_uri") !== undefined,
    codeChallenge: readChallenge(query),
    scopes,
    resources,
    prompt: query.list("prompt"),
    ...(state !== undefined && { state }),
    ...(nonce !== undefined && { nonce }),
    ...(loginHint !== undefined && { loginHint }),
    ...(thumbprint !== undefined && { thumbprint }),
  };
}

/** A client for the store: the request is stored while the user decides. */
export function withoutSecret({
  client_secret: _,
  secret_hash: __,
  ...client
}: RegisteredClient): RegisteredClient {
  return client;
}

function assertSupported(query: RequestParameters, client: RegisteredClient): void {
  if (query.require("response_type") !== "code") {
    throw new OAuthError("unsupported_response_type", "The response_type must be code.");
  }
  if ((query.get("response_mode") ?? "query") !== "query") {
    throw invalidRequestError("The response_mode must be query.");
  }
  if (!client.grant_types.includes("authorization_code")) {
    throw new OAuthError(
      "unauthorized_client",
      "This client did not register the grant type authorization_code.",
    );
  }
  if (query.get("request") !== undefined) {
    throw new OAuthError("request_not_supported", "Request objects are not supported.");
  }
  if (query.get("request_uri") !== undefined) {
    throw new OAuthError("request_uri_not_supported", "Request objects are not supported.");
  }
}

/** Reads the PKCE challenge. `plain` is refused: a party that reads the request could use it (RFC 7636, section 7.2). */
function readChallenge(query: RequestParameters): string {
  const challenge = query.require("code_challenge");
  if (query.get("code_challenge_method") !== "S256") {
    throw invalidRequestError("The code_challenge_method must be S256.");
  }
  if (!/^[\w-]{43}$/.test(challenge))
    throw invalidRequestError("The code_challenge is not a SHA-256 hash in base64url.");
  return challenge;
}

/** The redirect URI with the response parameters and the issuer (RFC 9207). */
export function toAuthorizationResponseUrl(
  { redirectUri, state }: RedirectTarget,
  issuer: string,
  response: { readonly [name: string]: string },
): string {
  const url = new URL(redirectUri);
  const parameters = { ...response, ...(state !== undefined && { state }), iss: issuer };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}
