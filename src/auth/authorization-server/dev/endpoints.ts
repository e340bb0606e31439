import type { ClientAuthenticationOptions } from "../clients/client-authentication.ts";
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
import { introspectionEndpoint, userinfoEndpoint } from "./introspection.ts";
import { tokenExchangeGrant, tokenExchangeGrantType } from "./token-exchange.ts";

/** Everything that a development issuer answers, by path. */
export function createDevEndpoints(issuer: DevIssuer): ReadonlyMap<string, OAuthEndpoint> {
  const { url, clients, values, keys } = issuer;
  const { registration = true } = issuer.options;
  const handlers = toHandlers(issuer);
  const endpoints = [
    endpointPaths.token,
    endpointPaths.deviceAuthorization,
    endpointPaths.introspect,
    endpointPaths.revoke,
  ];
  const authentication = { clients, values, audiences: [url, ...endpoints.map((path) => url + path)] };
  const { authorize, consent } = authorizationEndpoints(issuer);
  const register = async (request: Request) =>
    jsonResponse(await clients.register(await readJson(request)), 201);
  const routes: [path: string, route: OAuthEndpoint][] = [
    [endpointPaths.authorize, authorize],
    [endpointPaths.consent, consent],
    [endpointPaths.token, tokenRoute(issuer, authentication, handlers)],
    [endpointPaths.jwks, { GET: () => jsonResponse(keys.publicKeys), allowAnyOrigin: true }],
    [endpointPaths.deviceAuthorization, deviceAuthorizationEndpoint(issuer, authentication)],
    [endpointPaths.device, deviceVerificationEndpoint(issuer)],
    [endpointPaths.introspect, introspectionEndpoint(issuer, authentication)],
    [endpointPaths.revoke, revocationEndpoint({ ...issuer, ...authentication })],
    [endpointPaths.userinfo, userinfoEndpoint(issuer)],
    ...(registration
      ? [[endpointPaths.register, { POST: register, allowAnyOrigin: true }] as [string, OAuthEndpoint]]
      : []),
  ];
  const base = new URL(url).pathname.replace(/\/$/, "");
  const below = routes.map(([path, route]): [string, OAuthEndpoint] => [base + path, route]);
  return new Map([...below, ...metadataRoutes(issuer, [...handlers.keys()])]);
}

function toHandlers(issuer: DevIssuer): ReadonlyMap<string, GrantHandler> {
  return new Map([
    ["authorization_code", authorizationCodeGrant(issuer)],
    ["refresh_token", refreshTokenGrant(issuer)],
    ["client_credentials", clientCredentialsGrant(issuer)],
    [deviceCodeGrantType, deviceCodeGrant(issuer)],
    [tokenExchangeGrantType, tokenExchangeGrant(issuer)],
  ]);
}

function tokenRoute(
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

function metadataRoutes(issuer: DevIssuer, grantTypes: readonly string[]): [string, OAuthEndpoint][] {
  const { url, scopes, options, keys } = issuer;
  const { registration = true, clientMetadataDocuments: clientDocuments = true } = options;
  const metadata = {
    ...toAuthorizationServerMetadata({
      issuer: url,
      scopes,
      grantTypes,
      registration,
      documents: clientDocuments,
    }),
    introspection_endpoint: url + endpointPaths.introspect,
    revocation_endpoint: url + endpointPaths.revoke,
    device_authorization_endpoint: url + endpointPaths.deviceAuthorization,
    userinfo_endpoint: url + endpointPaths.userinfo,
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: [keys.alg],
    claims_supported: ["sub", "name", "email", "email_verified", "auth_time"],
  };
  const { oauth, openid } = metadataPaths(url);
  return [...oauth, ...openid].map((path) => [
    path,
    { GET: () => jsonResponse(metadata), allowAnyOrigin: true },
  ]);
}
