import {
  type AuthorizationServer,
  genericTokenEndpointRequest,
  processGenericTokenEndpointResponse,
} from "oauth4webapi";
import { AuthorizationError } from "../../../errors.ts";
import { discoverAuthorizationServer } from "../discovery/authorization-server-metadata.ts";
import { type Grant, type GrantRequest, tokenParameters } from "../grant.ts";
import type { PreregisteredClient } from "../identity/client-information.ts";
import { TokenEndpoint } from "../tokens/token-endpoint.ts";
import { exchangeAssertion, jwtBearerGrantType } from "./jwt-bearer.ts";

export interface EnterpriseManagedOptions {
  /** The company's identity provider. */
  readonly identityProvider: {
    readonly issuer: string;
    /** Default: as the issuer's metadata says. */
    readonly tokenEndpoint?: string | undefined;
    /** Who this client is to the identity provider. */
    readonly client: PreregisteredClient;
  };
  /** Gives the ID token of the user who is logged in; asked each time. */
  readonly idToken: () => string | Promise<string>;
  /** What `idToken` gives. Default: an ID token of OpenID Connect. */
  readonly idTokenType?: string | undefined;
}

const idJag = "urn:ietf:params:oauth:token-type:id-jag";
const idTokenType = "urn:ietf:params:oauth:token-type:id_token";

/**
 * For users whose company decides what they may reach: its identity provider vouches for them at
 * the authorization server, and nobody has to log in again.
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

/** Exchanges the ID token for a grant that is meant for one authorization server and one resource. */
async function requestIdJag(options: EnterpriseManagedOptions, request: GrantRequest): Promise<string> {
  const { identityProvider } = options;
  const provider = await toServer(identityProvider, request);
  const identity = { ...identityProvider.client, source: "known" } as const;
  const parameters = {
    ...tokenParameters(request),
    requested_token_type: idJag,
    audience: request.server.issuer,
    subject_token: await options.idToken(),
    subject_token_type: options.idTokenType ?? idTokenType,
  };
  const grantType = "urn:ietf:params:oauth:grant-type:token-exchange";
  const endpoint = new TokenEndpoint(provider, identity, request.context);
  const response = await endpoint.request("token-exchange", {}, async (call) =>
    processGenericTokenEndpointResponse(
      call.server,
      call.client,
      await genericTokenEndpointRequest(
        call.server,
        call.client,
        call.authentication,
        grantType,
        parameters,
        call.options,
      ),
      { recognizedTokenTypes: { n_a: () => {} } },
    ),
  );
  if (response.issued_token_type !== undefined && response.issued_token_type !== idJag)
    throw new AuthorizationError("The identity provider gave something other than an ID-JAG.", "refused");
  return response.access_token;
}

async function toServer(
  { issuer, tokenEndpoint }: EnterpriseManagedOptions["identityProvider"],
  { context: discovery }: GrantRequest,
): Promise<AuthorizationServer> {
  return tokenEndpoint === undefined
    ? discoverAuthorizationServer(issuer, discovery)
    : { issuer, token_endpoint: tokenEndpoint };
}
