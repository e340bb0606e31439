import {
  genericTokenEndpointRequest,
  type ProcessTokenResponseOptions,
  processGenericTokenEndpointResponse,
  type TokenEndpointResponse,
} from "oauth4webapi";
import type { TokenRequestParts } from "./token-endpoint.ts";

/** Requests a token by a grant that another document than OAuth itself defines (RFC 6749, section 4.5). */
export async function requestByExtensionGrant(
  { server, client, authentication, options }: TokenRequestParts,
  grantType: string,
  parameters: Record<string, string>,
  processing?: ProcessTokenResponseOptions,
): Promise<TokenEndpointResponse> {
  const response = await genericTokenEndpointRequest(
    server,
    client,
    authentication,
    grantType,
    parameters,
    options,
  );
  return processGenericTokenEndpointResponse(server, client, response, processing);
}
