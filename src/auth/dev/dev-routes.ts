import { json } from "../issuer/answer.ts";
import type { AuthenticationOptions } from "../issuer/client-authentication.ts";
import { codeGrant, refreshGrant } from "../issuer/code-grant.ts";
import { metadataPaths, paths, toMetadata } from "../issuer/metadata.ts";
import { readJson } from "../issuer/parameters.ts";
import { revocationRoute } from "../issuer/revocation.ts";
import type { Route } from "../issuer/router.ts";
import { answerTokenRequest, type GrantHandler } from "../issuer/token-endpoint.ts";
import { authorizeRoutes } from "./authorize.ts";
import { clientCredentials } from "./client-credentials.ts";
import type { DevIssuer } from "./dev-issuer.ts";
import { deviceAuthorization, deviceGrant, deviceGrantType, devicePage } from "./device.ts";
import { exchangeGrantType, tokenExchange } from "./token-exchange.ts";
import { introspection, userinfo } from "./token-inspection.ts";

/** Everything that a development issuer answers, by path. */
export function createDevRoutes(issuer: DevIssuer): ReadonlyMap<string, Route> {
  const { url, clients, values, keys } = issuer;
  const { registration = true } = issuer.options;
  const handlers = toHandlers(issuer);
  const endpoints = [paths.token, paths.deviceAuthorization, paths.introspect, paths.revoke];
  const authentication = { clients, values, audiences: [url, ...endpoints.map((path) => url + path)] };
  const { authorize, consent } = authorizeRoutes(issuer);
  const register = async (request: Request) => json(await clients.register(await readJson(request)), 201);
  const routes: [path: string, route: Route][] = [
    [paths.authorize, authorize],
    [paths.consent, consent],
    [paths.token, tokenRoute(issuer, authentication, handlers)],
    [paths.jwks, { GET: () => json(keys.publicKeys), isOpen: true }],
    [paths.deviceAuthorization, deviceAuthorization(issuer, authentication)],
    [paths.device, devicePage(issuer)],
    [paths.introspect, introspection(issuer, authentication)],
    [paths.revoke, revocationRoute({ ...issuer, ...authentication })],
    [paths.userinfo, userinfo(issuer)],
    ...(registration ? [[paths.register, { POST: register, isOpen: true }] as [string, Route]] : []),
  ];
  const base = new URL(url).pathname.replace(/\/$/, "");
  const below = routes.map(([path, route]): [string, Route] => [base + path, route]);
  return new Map([...below, ...metadataRoutes(issuer, [...handlers.keys()])]);
}

function toHandlers(issuer: DevIssuer): ReadonlyMap<string, GrantHandler> {
  return new Map([
    ["authorization_code", codeGrant(issuer)],
    ["refresh_token", refreshGrant(issuer)],
    ["client_credentials", clientCredentials(issuer)],
    [deviceGrantType, deviceGrant(issuer)],
    [exchangeGrantType, tokenExchange(issuer)],
  ]);
}

function tokenRoute(
  { values, url, options }: DevIssuer,
  authentication: AuthenticationOptions,
  handlers: ReadonlyMap<string, GrantHandler>,
): Route {
  const { required = false, nonce = false } = options.dpop ?? {};
  const proof = { values, url: url + paths.token, required, nonce };
  return {
    POST: (request) => answerTokenRequest(request, { ...authentication, handlers, proof }),
    isOpen: true,
  };
}

function metadataRoutes(issuer: DevIssuer, grantTypes: readonly string[]): [string, Route][] {
  const { url, scopes, options, keys } = issuer;
  const { registration = true, clientDocuments = true } = options;
  const metadata = {
    ...toMetadata({ issuer: url, scopes, grantTypes, registration, documents: clientDocuments }),
    introspection_endpoint: url + paths.introspect,
    revocation_endpoint: url + paths.revoke,
    device_authorization_endpoint: url + paths.deviceAuthorization,
    userinfo_endpoint: url + paths.userinfo,
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: [keys.alg],
    claims_supported: ["sub", "name", "email", "email_verified", "auth_time"],
  };
  const { oauth, openid } = metadataPaths(url);
  return [...oauth, ...openid].map((path) => [path, { GET: () => json(metadata), isOpen: true }]);
}
