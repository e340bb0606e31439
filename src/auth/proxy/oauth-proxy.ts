import type { JSONWebKeySet } from "jose";
import { json } from "../issuer/answer.ts";
import { codeGrant, refreshGrant } from "../issuer/code-grant.ts";
import type { Grant } from "../issuer/grant.ts";
import { metadataPaths, paths, toMetadata } from "../issuer/metadata.ts";
import { type NodeListener, toNodeListener } from "../issuer/node-listener.ts";
import { readJson } from "../issuer/parameters.ts";
import { Refusal } from "../issuer/refusal.ts";
import { revocationRoute } from "../issuer/revocation.ts";
import { type Route, route } from "../issuer/router.ts";
import { answerTokenRequest } from "../issuer/token-endpoint.ts";
import { createProxyIssuer, type ProxyIssuer } from "./proxy-issuer.ts";
import { callbackPath, loginRoutes } from "./proxy-login.ts";
import type { OAuthProxyOptions } from "./proxy-options.ts";

/** An authorization server for MCP clients in front of an identity provider that lets nobody register. */
export interface OAuthProxy {
  /** Its name, for `bearer({ issuer, jwks })`. */
  readonly issuer: string;
  /** The public keys of its tokens. */
  readonly jwks: JSONWebKeySet;
  /** The address to register at the identity provider. */
  readonly callbackUrl: string;
  /** Answers requests of the web platform; 404 where nothing is. */
  fetch(request: Request): Promise<Response>;
  /** Whether a path is the proxy's to answer. */
  serves(path: string): boolean;
  /** Answers requests of node:http and Express, before any parser of bodies; hands on what is not its own. */
  readonly onRequest: NodeListener;
}

const hourMs = 60 * 60 * 1000;

/**
 * Makes an authorization server that lets its users log in at an identity provider.
 *
 * Clients register with the proxy, or publish a document about themselves. Each user is asked
 * about each client before the provider is, which would ask nothing: it knows the proxy alone.
 * Tokens are the proxy's own, for `resource` alone; those of the provider stay here.
 */
export async function createOAuthProxy(options: OAuthProxyOptions): Promise<OAuthProxy> {
  const issuer = await createProxyIssuer(options);
  const routes = createRoutes(issuer);
  const { origin } = new URL(issuer.url);
  return {
    issuer: issuer.url,
    jwks: issuer.keys.publicKeys,
    callbackUrl: issuer.url + callbackPath,
    fetch: async (request) => (await route(request, routes)) ?? json({ error: "not_found" }, 404),
    serves: (path) => routes.has(path),
    onRequest: toNodeListener({ answer: (request) => route(request, routes), origin }),
  };
}

function createRoutes(issuer: ProxyIssuer): ReadonlyMap<string, Route> {
  const { url, clients, values, keys, options } = issuer;
  const { registration = true } = options;
  const { authorize, consent, callback } = loginRoutes(issuer);
  const authentication = { clients, values, audiences: [url, url + paths.token, url + paths.revoke] };
  const routes: [path: string, route: Route][] = [
    [paths.authorize, authorize],
    [paths.consent, consent],
    [callbackPath, callback],
    [paths.token, tokenRoute(issuer)],
    [paths.revoke, revocationRoute({ ...issuer, ...authentication })],
    [paths.jwks, { GET: () => json(keys.publicKeys), isOpen: true }],
    ...(registration ? [[paths.register, registrationRoute(issuer)] as [string, Route]] : []),
  ];
  const base = new URL(url).pathname.replace(/\/$/, "");
  const below = routes.map(([path, one]): [string, Route] => [base + path, one]);
  return new Map([...below, ...metadataRoutes(issuer)]);
}

function tokenRoute(issuer: ProxyIssuer): Route {
  const { url, clients, values } = issuer;
  const endpoint = url + paths.token;
  const mayContinue = (grant: Grant) => mayStay(issuer, grant);
  const handlers = new Map([
    ["authorization_code", codeGrant(issuer)],
    ["refresh_token", refreshGrant({ ...issuer, mayContinue })],
  ]);
  const proof = { values, url: endpoint, required: false, nonce: false };
  const options = { clients, values, audiences: [url, endpoint], handlers, proof };
  return { POST: (request) => answerTokenRequest(request, options), isOpen: true };
}

async function mayStay({ options, grants }: ProxyIssuer, grant: Grant): Promise<boolean> {
  const { subject, claims, scopes, clientId, id, expiresAt } = grant;
  const isWelcome = (await options.mayStay?.({ subject, claims, scopes, clientId })) ?? true;
  if (!isWelcome) await grants.revoke(id, expiresAt - Date.now());
  return isWelcome;
}

/** Anybody may register, so what they can fill is limited. */
function registrationRoute({ clients, counters, url, options }: ProxyIssuer): Route {
  const { maxRegistrationsPerHour: most = 100 } = options;
  const register = async (request: Request): Promise<Response> => {
    const { count, resetsInMs } = await counters.count(`oauth-proxy ${url} registrations`, 1, hourMs);
    if (count > most) {
      const headers = { "retry-after": String(Math.ceil(resetsInMs / 1000)) };
      throw new Refusal("temporarily_unavailable", "Too many clients register.", { status: 429, headers });
    }
    return json(await clients.register(await readJson(request)), 201);
  };
  return { POST: register, isOpen: true };
}

function metadataRoutes({ url, scopes, options }: ProxyIssuer): [string, Route][] {
  const { registration = true, clientDocuments = true } = options;
  const grantTypes = ["authorization_code", "refresh_token"];
  const metadata = {
    ...toMetadata({ issuer: url, scopes, grantTypes, registration, documents: clientDocuments }),
    revocation_endpoint: url + paths.revoke,
  };
  const { oauth } = metadataPaths(url);
  return oauth.map((path) => [path, { GET: () => json(metadata), isOpen: true }]);
}
