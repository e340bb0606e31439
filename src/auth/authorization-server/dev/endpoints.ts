import type { ClientAuthenticationOptions } from "../clients/client-authentication.ts";
import { type EndpointEntry, type PublishedMetadata, toEndpointTable } from "../endpoint-table.ts";
import { authorizationCodeGrant, refreshTokenGrant } from "../grant-handlers.ts";
import { readJson } from "../http/request-parameters.ts";
import { jsonResponse } from "../http/response.ts";
import type { OAuthEndpoint } from "../http/router.ts";
import { endpointPaths, metadataPaths, toAuthorizationServerMetadata } from "../metadata.ts";
import { revocationEndpoint } from "../revocation-endpoint.ts";
import { answerTokenRequest, type GrantHandler } from "../token-endpoint.ts";
import { authorizationEndpoints } from "./authorization-endpoint.ts";
import { clientCredentialsGrant } from "./client-credentials.ts";
import type { DevIssuer } from "./dev-issuer.ts";
import {
  deviceAuthorizationEndpoint,
  deviceCodeGrant,
  deviceCodeGrantType,
  deviceVerificationEndpoint,
} from "./device-authorization.ts";
import { introspectionEndpoint } from "./introspection-endpoint.ts";
import { tokenExchangeGrant, tokenExchangeGrantType } from "./token-exchange.ts";
import { userinfoEndpoint } from "./userinfo-endpoint.ts";

/** The endpoints of a development issuer, by their path. */
export function createDevEndpoints(issuer: DevIssuer): ReadonlyMap<string, OAuthEndpoint> {
  const { url, clients, values } = issuer;
  const { registration = true } = issuer.options;
  const handlers = toGrantHandlers(issuer);
  const authenticated = [
    endpointPaths.token,
    endpointPaths.deviceAuthorization,
    endpointPaths.introspect,
    endpointPaths.revoke,
  ];
  const authentication = { clients, values, audiences: [url, ...authenticated.map((path) => url + path)] };
  const { authorize, consent } = authorizationEndpoints(issuer);
  const endpoints: EndpointEntry[] = [
    [endpointPaths.authorize, authorize],
    [endpointPaths.consent, consent],
    [endpointPaths.token, tokenEndpoint(issuer, authentication, handlers)],
    [endpointPaths.deviceAuthorization, deviceAuthorizationEndpoint(issuer, authentication)],
    [endpointPaths.device, deviceVerificationEndpoint(issuer)],
    [endpointPaths.introspect, introspectionEndpoint(issuer, authentication)],
    [endpointPaths.revoke, revocationEndpoint({ ...issuer, ...authentication })],
    [endpointPaths.userinfo, userinfoEndpoint(issuer)],
  ];
  if (registration) endpoints.push([endpointPaths.register, registrationEndpoint(issuer)]);
  return toEndpointTable(issuer, endpoints, toMetadata(issuer, [...handlers.keys()]));
}

function toGrantHandlers(issuer: DevIssuer): ReadonlyMap<string, GrantHandler> {
  return new Map([
    ["authorization_code", authorizationCodeGrant(issuer)],
    ["refresh_token", refreshTokenGrant(issuer)],
    ["client_credentials", clientCredentialsGrant(issuer)],
    [deviceCodeGrantType, deviceCodeGrant(issuer)],
    [tokenExchangeGrantType, tokenExchangeGrant(issuer)],
  ]);
}

function tokenEndpoint(
  { values, url, options }: DevIssuer,
  authentication: ClientAuthenticationOptions,
  handlers: ReadonlyMap<string, GrantHandler>,
): OAuthEndpoint {
  const { required = false, nonce = false } = options.dpop ?? {};
  const proof = { values, url: url + endpointPaths.token, required, nonce };
  return {
    POST: (request) => answerTokenRequest(request, { ...authentication, handlers, proof }),
    allowAnyOrigin: true,
  };
}

function registrationEndpoint({ clients }: DevIssuer): OAuthEndpoint {
  const register = async (request: Request): Promise<Response> =>
    jsonResponse(await clients.register(await readJson(request)), 201);
  return { POST: register, allowAnyOrigin: true };
}

function toMetadata(issuer: DevIssuer, grantTypes: readonly string[]): PublishedMetadata {
  const { url, scopes, options, keys } = issuer;
  const { registration = true, clientMetadataDocuments: documents = true } = options;
  const document = {
    ...toAuthorizationServerMetadata({ issuer: url, scopes, grantTypes, registration, documents }),
    introspection_endpoint: url + endpointPaths.introspect,
    revocation_endpoint: url + endpointPaths.revoke,
    device_authorization_endpoint: url + endpointPaths.deviceAuthorization,
    userinfo_endpoint: url + endpointPaths.userinfo,
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: [keys.alg],
    claims_supported: ["sub", "name", "email", "email_verified", "auth_time"],
  };
  const { oauth, openid } = metadataPaths(url);
  return { document, paths: [...oauth, ...openid] };
}
