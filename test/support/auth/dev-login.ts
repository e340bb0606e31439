import * as oauth from "oauth4webapi";

export const insecure = { [oauth.allowInsecureRequests]: true } as const;
export const resource = "https://api.example/mcp";
export const redirectUri = "http://127.0.0.1:5999/callback";

export interface Login {
  readonly as: oauth.AuthorizationServer;
  readonly client: oauth.Client;
  readonly auth: oauth.ClientAuth;
}

export async function discover(issuer: string, algorithm: "oauth2" | "oidc" = "oauth2") {
  const url = new URL(issuer);
  const response = await oauth.discoveryRequest(url, { algorithm, ...insecure });
  return oauth.processDiscoveryResponse(url, response);
}

/** Discovers an issuer and registers a public client with it. */
export async function register(
  issuer: string,
  metadata: Partial<oauth.OmitSymbolProperties<oauth.Client>> = {},
): Promise<Login> {
  const as = await discover(issuer);
  const response = await oauth.dynamicClientRegistrationRequest(
    as,
    {
      client_name: "A test",
      redirect_uris: [redirectUri],
      grant_types: ["authorization_code", "refresh_token"],
      token_endpoint_auth_method: "none",
      ...metadata,
    },
    insecure,
  );
  const client = await oauth.processDynamicClientRegistrationResponse(response);
  return { as, client, auth: oauth.None() };
}

export interface AuthorizationRequestOptions {
  readonly scope?: string;
  readonly resource?: string;
  /** Parameters to add, or to take away with undefined. */
  readonly change?: { readonly [name: string]: string | undefined };
}

/** An authorization request with the secrets that belong to it. */
export async function ask({ as, client }: Login, asking: AuthorizationRequestOptions = {}) {
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const url = new URL(as.authorization_endpoint ?? "");
  const parameters = {
    client_id: client.client_id,
    redirect_uri: redirectUri,
    response_type: "code",
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    state,
    resource: asking.resource ?? resource,
    scope: asking.scope,
    ...asking.change,
  };
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) url.searchParams.set(name, value);
  }
  return { url, verifier, state };
}

/** Where the issuer sends the browser. */
export async function followToCallback(url: URL, init: RequestInit = {}): Promise<URL> {
  const response = await fetch(url, { redirect: "manual", ...init });
  const location = response.headers.get("location");
  if (location === null) throw new Error(`No redirect but ${response.status}: ${await response.text()}`);
  return new URL(location);
}

/** The whole of it, with an issuer that approves by itself. */
export async function logIn(
  login: Login,
  asking: AuthorizationRequestOptions = {},
  options: { DPoP?: oauth.DPoPHandle } = {},
) {
  const { url, verifier, state } = await ask(login, asking);
  return redeem(login, await followToCallback(url), { verifier, state, ...options });
}

export interface CodeRedemption {
  readonly verifier: string;
  readonly state: string;
  readonly DPoP?: oauth.DPoPHandle;
  readonly nonce?: string;
  /** The resource of the token request. */
  readonly resource?: string;
}

export async function redeem({ as, client, auth }: Login, answer: URL, redeeming: CodeRedemption) {
  const { verifier, state, DPoP, nonce, resource: requested } = redeeming;
  const parameters = oauth.validateAuthResponse(as, client, answer, state);
  const response = await oauth.authorizationCodeGrantRequest(
    as,
    client,
    auth,
    parameters,
    redirectUri,
    verifier,
    {
      ...insecure,
      ...(DPoP && { DPoP }),
      ...(requested !== undefined && { additionalParameters: { resource: requested } }),
    },
  );
  return oauth.processAuthorizationCodeResponse(
    as,
    client,
    response,
    nonce === undefined ? {} : { expectedNonce: nonce },
  );
}

export async function refresh(
  { as, client, auth }: Login,
  token: string,
  parameters: Record<string, string> = {},
) {
  const options = { ...insecure, additionalParameters: parameters };
  const response = await oauth.refreshTokenGrantRequest(as, client, auth, token, options);
  return oauth.processRefreshTokenResponse(as, client, response);
}

/** The error that a refused request to the token endpoint names. */
export async function refusalOf(answer: Promise<unknown>): Promise<string> {
  const error: unknown = await answer.then(
    () => new Error("It was not refused."),
    (reason) => reason,
  );
  return error instanceof oauth.ResponseBodyError ? error.error : String(error);
}
