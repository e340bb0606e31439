import type { JSONWebKeySet } from "jose";
import { assertOptions } from "../../../contract/options.ts";
import { type EndpointEntry, type PublishedMetadata, toEndpointTable } from "../endpoint-table.ts";
import { authorizationCodeGrant, refreshTokenGrant } from "../grant-handlers.ts";
import { type NodeListener, toNodeListener } from "../http/node-listener.ts";
import { OAuthError } from "../http/oauth-error.ts";
import { addressKeyOf, withAddress } from "../http/request-address.ts";
import { readJson } from "../http/request-parameters.ts";
import { jsonResponse } from "../http/response.ts";
import { type OAuthEndpoint, routeRequest } from "../http/router.ts";
import { endpointPaths, metadataPaths, toAuthorizationServerMetadata } from "../metadata.ts";
import { revocationEndpoint } from "../revocation-endpoint.ts";
import { answerTokenRequest } from "../token-endpoint.ts";
import type { AuthorizationGrant } from "../tokens/authorization-grant.ts";
import { callbackPath, loginEndpoints } from "./login-endpoints.ts";
import { type OAuthProxyOptions, oauthProxyOptionKinds } from "./options.ts";
import { createProxyIssuer, type ProxyIssuer } from "./proxy-issuer.ts";

/** An authorization server for MCP clients in front of an identity provider without client registration. */
export interface OAuthProxy {
  /** The issuer, for `bearer({ issuer, jwks })`. */
  readonly issuer: string;
  /** The public keys of its tokens. */
  readonly jwks: JSONWebKeySet;
  /** The redirect URI to register at the identity provider. */
  readonly callbackUrl: string;
  /** Answers a web request; 404 for a path that is not an endpoint. Each address has a share of what is limited. */
  fetch(request: Request, client?: { readonly address?: string | undefined }): Promise<Response>;
  /** True for the path of an endpoint of the proxy. */
  serves(path: string): boolean;
  /** Answers requests of node:http and Express, before any body parser; calls `next` for other paths. */
  readonly onRequest: NodeListener;
}

const hourMs = 60 * 60 * 1000;
/** An address may register this part of all clients. */
const sharesOfAll = 5;

/**
 * Creates an authorization server whose users log in at an identity provider.
 *
 * Clients register with the proxy, or publish a metadata document. The proxy asks each user for
 * consent to each client, because the provider knows only the proxy and asks nothing. It issues its
 * own tokens, for `resource` only; those of the provider stay here.
 *
 * basic/authorization#confused-deputy-problem (2025-11-25)
 */
export async function createOAuthProxy(options: OAuthProxyOptions): Promise<OAuthProxy> {
  assertOptions("createOAuthProxy", options, oauthProxyOptionKinds);
  const issuer = await createProxyIssuer(options);
  const endpoints = createEndpoints(issuer);
  const { origin } = new URL(issuer.url);
  return {
    issuer: issuer.url,
    jwks: issuer.keys.publicKeys,
    callbackUrl: issuer.url + callbackPath,
    fetch: async (request, client) => {
      const response = await routeRequest(withAddress(request, client?.address), endpoints);
      return response ?? jsonResponse({ error: "not_found" }, 404);
    },
    serves: (path) => endpoints.has(path),
    onRequest: toNodeListener({
      answer: (request) => routeRequest(request, endpoints),
      origin,
      trustProxy: options.trustProxy,
    }),
  };
}

function createEndpoints(issuer: ProxyIssuer): ReadonlyMap<string, OAuthEndpoint> {
  const { url, clients, values, options } = issuer;
  const { registration = true } = options;
  const { authorize, consent, callback } = loginEndpoints(issuer);
  const authentication = {
    clients,
    values,
    audiences: [url, url + endpointPaths.token, url + endpointPaths.revoke],
  };
  const endpoints: EndpointEntry[] = [
    [endpointPaths.authorize, authorize],
    [endpointPaths.consent, consent],
    [callbackPath, callback],
    [endpointPaths.token, tokenEndpoint(issuer)],
    [endpointPaths.revoke, revocationEndpoint({ ...issuer, ...authentication })],
  ];
  if (registration) endpoints.push([endpointPaths.register, registrationEndpoint(issuer)]);
  return toEndpointTable(issuer, endpoints, toMetadata(issuer));
}

function tokenEndpoint(issuer: ProxyIssuer): OAuthEndpoint {
  const { url, clients, values } = issuer;
  const endpoint = url + endpointPaths.token;
  const mayContinue = (grant: AuthorizationGrant) => mayContinueGrant(issuer, grant);
  const handlers = new Map([
    ["authorization_code", authorizationCodeGrant(issuer)],
    ["refresh_token", refreshTokenGrant({ ...issuer, mayContinue })],
  ]);
  const proof = { values, url: endpoint, required: false, nonce: false };
  const options = { clients, values, audiences: [url, endpoint], handlers, proof };
  return { POST: (request) => answerTokenRequest(request, options), allowAnyOrigin: true };
}

async function mayContinueGrant(
  { options, grants }: ProxyIssuer,
  grant: AuthorizationGrant,
): Promise<boolean> {
  const { subject, claims, scopes, clientId, id, expiresAt } = grant;
  const isWelcome = (await options.mayRefresh?.({ subject, claims, scopes, clientId })) ?? true;
  if (!isWelcome) await grants.revoke(id, expiresAt - Date.now());
  return isWelcome;
}

/** The registration endpoint. Anybody can register, so the number of registrations is limited, also for each address. */
function registrationEndpoint({ clients, counters, url, options }: ProxyIssuer): OAuthEndpoint {
  const { maxRegistrationsPerHour: maxPerHour = 100 } = options;
  const count = async (key: string, max: number): Promise<void> => {
    const { count: total, resetsInMs } = await counters.count(`oauth-proxy ${url} ${key}`, 1, hourMs);
    if (total <= max) return;
    const headers = { "retry-after": String(Math.ceil(resetsInMs / 1000)) };
    const message = "Too many clients have registered; try again later.";
    throw new OAuthError("temporarily_unavailable", message, { status: 429, headers });
  };
  const register = async (request: Request): Promise<Response> => {
    const address = addressKeyOf(request);
    // First, so that what one address asks for beyond its share takes nothing from the others.
    if (address !== undefined) await count(`registrations ${address}`, Math.ceil(maxPerHour / sharesOfAll));
    const metadata = await readJson(request);
    await count("registrations", maxPerHour);
    return jsonResponse(await clients.register(metadata), 201);
  };
  return { POST: register, allowAnyOrigin: true };
}

function toMetadata({ url, scopes, options }: ProxyIssuer): PublishedMetadata {
  const { registration = true, clientMetadataDocuments: documents = true } = options;
  const grantTypes = ["authorization_code", "refresh_token"];
  const document = {
    ...toAuthorizationServerMetadata({ issuer: url, scopes, grantTypes, registration, documents }),
    revocation_endpoint: url + endpointPaths.revoke,
  };
  return { document, paths: metadataPaths(url).oauth };
}
