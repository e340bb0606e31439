import type { AuthorizationServer } from "oauth4webapi";
import { AuthorizationError } from "../../../errors.ts";
import { discoverAuthorizationServer } from "../discovery/authorization-server-metadata.ts";
import { type Grant, type GrantRequest, tokenParameters } from "../grant.ts";
import type { PreregisteredClient } from "../identity/client-information.ts";
import { requestByExtensionGrant } from "../tokens/extension-grant.ts";
import { TokenEndpoint } from "../tokens/token-endpoint.ts";
import { exchangeAssertion, jwtBearerGrantType } from "./jwt-bearer.ts";

export interface EnterpriseManagedOptions {
  /** The company's identity provider. */
  readonly identityProvider: {
    readonly issuer: string;
    /** Default: the token endpoint of the issuer's metadata. */
    readonly tokenEndpoint?: string | undefined;
    /** The client's registration at the identity provider. */
    readonly client: PreregisteredClient;
  };
  /** Returns the ID token of the user who is logged in; called for each token request. */
  readonly idToken: () => string | Promise<string>;
  /** The type of the token that `idToken` returns. Default: an OpenID Connect ID token. */
  readonly idTokenType?: string | undefined;
}

const idJag = "urn:ietf:params:oauth:token-type:id-jag";
const idTokenType = "urn:ietf:params:oauth:token-type:id_token";

/**
 * Obtains tokens for users of a company: its identity provider vouches for them at the
 * authorization server, so that they need not log in again.
 */
export function enterpriseManaged(options: EnterpriseManagedOptions): Grant {
  return {
    types: [jwtBearerGrantType],
    wantsRefresh: false,
    async obtain(request) {
      const assertion = await requestIdJag(options, request);
      const identity = await request.identify();
      return { identity, tokens: await exchangeAssertion(request, identity, assertion) };
    },
  };
}

/** Exchanges the ID token for an ID-JAG, which is for one authorization server and one resource. */
async function requestIdJag(options: EnterpriseManagedOptions, request: GrantRequest): Promise<string> {
  const { identityProvider } = options;
  const provider = await findIdentityProvider(identityProvider, request);
  const identity = { ...identityProvider.client, source: "preregistered" } as const;
  const parameters = {
    ...tokenParameters(request),
    requested_token_type: idJag,
    audience: request.server.issuer,
    subject_token: await options.idToken(),
    subject_token_type: options.idTokenType ?? idTokenType,
  };
  const grantType = "urn:ietf:params:oauth:grant-type:token-exchange";
  const endpoint = new TokenEndpoint(provider, identity, request.context);
  const response = await endpoint.request("token-exchange", {}, (call) =>
    requestByExtensionGrant(call, grantType, parameters, { recognizedTokenTypes: { n_a: () => {} } }),
  );
  if (response.issued_token_type !== undefined && response.issued_token_type !== idJag)
    throw new AuthorizationError("The identity provider issued a token that is not an ID-JAG.", "refused");
  return response.access_token;
}

async function findIdentityProvider(
  { issuer, tokenEndpoint }: EnterpriseManagedOptions["identityProvider"],
  { context }: GrantRequest,
): Promise<AuthorizationServer> {
  return tokenEndpoint === undefined
    ? discoverAuthorizationServer(issuer, context)
    : { issuer, token_endpoint: tokenEndpoint };
}
