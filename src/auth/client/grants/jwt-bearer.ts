import type { TokenEndpointResponse } from "oauth4webapi";
import { type GrantRequest, tokenParameters } from "../grant.ts";
import type { OAuthClientInformation } from "../identity/client-information.ts";
import { requestByExtensionGrant } from "../tokens/extension-grant.ts";

export const jwtBearerGrantType = "urn:ietf:params:oauth:grant-type:jwt-bearer";

/** Exchanges a signed assertion for a token (RFC 7523). */
export function exchangeAssertion(
  request: GrantRequest,
  identity: OAuthClientInformation,
  assertion: string,
): Promise<TokenEndpointResponse> {
  const parameters = { ...tokenParameters(request), assertion };
  return request
    .tokenEndpoint(identity)
    .request("token", {}, (call) => requestByExtensionGrant(call, jwtBearerGrantType, parameters));
}
