import { json } from "../issuer/answer.ts";
import { codeGrant, refreshGrant } from "../issuer/code-grant.ts";
import { metadataPaths, paths, toMetadata } from "../issuer/metadata.ts";
import { readJson } from "../issuer/parameters.ts";
import type { Route } from "../issuer/router.ts";
import {
  answerTokenRequest,
  type GrantHandler,
  type TokenEndpointOptions,
} from "../issuer/token-endpoint.ts";
import { authorizeRoutes } from "./authorize.ts";
import type { DevIssuer } from "./dev-issuer.ts";

/** Everything that a development issuer answers, by path. */
export function createDevRoutes(issuer: DevIssuer): ReadonlyMap<string, Route> {
  const handlers = toHandlers(issuer);
  const tokens = toTokenOptions(issuer, handlers);
  const { authorize, consent } = authorizeRoutes(issuer);
  const routes: [path: string, route: Route][] = [
    [paths.authorize, authorize],
    [paths.consent, consent],
    [paths.token, { POST: (request) => answerTokenRequest(request, tokens), isOpen: true }],
    [paths.jwks, { GET: () => json(issuer.keys.publicKeys), isOpen: true }],
  ];
  if (issuer.options.registration !== false) {
    const register = async (request: Request) =>
      json(await issuer.clients.register(await readJson(request)), 201);
    routes.push([paths.register, { POST: register, isOpen: true }]);
  }
  const base = new URL(issuer.url).pathname.replace(/\/$/, "");
  const below = routes.map(([path, route]): [string, Route] => [base + path, route]);
  return new Map([...below, ...metadataRoutes(issuer, [...handlers.keys()])]);
}

function toHandlers(issuer: DevIssuer): ReadonlyMap<string, GrantHandler> {
  return new Map([
    ["authorization_code", codeGrant(issuer)],
    ["refresh_token", refreshGrant(issuer)],
  ]);
}

function toTokenOptions(
  issuer: DevIssuer,
  handlers: ReadonlyMap<string, GrantHandler>,
): TokenEndpointOptions {
  const { clients, values, url, options } = issuer;
  const endpoint = url + paths.token;
  const { required = false, nonce = false } = options.dpop ?? {};
  return {
    clients,
    values,
    audiences: [url, endpoint],
    handlers,
    proof: { values, url: endpoint, required, nonce },
  };
}

function metadataRoutes(issuer: DevIssuer, grantTypes: readonly string[]): [string, Route][] {
  const { url, scopes, options, keys } = issuer;
  const { registration = true, clientDocuments = true } = options;
  const metadata = {
    ...toMetadata({ issuer: url, scopes, grantTypes, registration, documents: clientDocuments }),
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: [keys.alg],
  };
  const { oauth, openid } = metadataPaths(url);
  return [...oauth, ...openid].map((path) => [path, { GET: () => json(metadata), isOpen: true }]);
}
