import {
  genericTokenEndpointRequest,
  processGenericTokenEndpointResponse,
  type TokenEndpointResponse,
} from "oauth4webapi";
import type { ClientIdentity } from "../client-identity.ts";
import { type GrantRequest, tokenParameters } from "../grant.ts";

export const jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer";

/** Exchanges a signed assertion for a token (RFC 7523). */
export function exchangeAssertion(
  request: GrantRequest,
  identity: ClientIdentity,
  assertion: string,
): Promise<TokenEndpointResponse> {
  return request
    .endpoint(identity)
    .ask("token", {}, async (call) =>
      processGenericTokenEndpointResponse(
        call.server,
        call.client,
        await genericTokenEndpointRequest(
          call.server,
          call.client,
          call.authentication,
          jwtBearer,
          { ...tokenParameters(request), assertion },
          call.options,
        ),
      ),
    );
}
