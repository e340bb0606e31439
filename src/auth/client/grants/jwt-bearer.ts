import {
  genericTokenEndpointRequest,
  processGenericTokenEndpointResponse,
  type TokenEndpointResponse,
} from "oauth4webapi";
import { type GrantRequest, tokenParameters } from "../grant.ts";
import type { OAuthClientInformation } from "../identity/client-information.ts";

export const jwtBearerGrantType = "urn:ietf:params:oauth:grant-type:jwt-bearer";

/** Exchanges a signed assertion for a token (RFC 7523). */
export function exchangeAssertion(
  request: GrantRequest,
  identity: OAuthClientInformation,
  assertion: string,
): Promise<TokenEndpointResponse> {
  return request
    .tokenEndpoint(identity)
    .request("token", {}, async (call) =>
      processGenericTokenEndpointResponse(
        call.server,
        call.client,
        await genericTokenEndpointRequest(
          call.server,
          call.client,
          call.authentication,
          jwtBearerGrantType,
          { ...tokenParameters(request), assertion },
          call.options,
        ),
      ),
    );
}
