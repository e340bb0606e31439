import type { AuthorizationServer } from "oauth4webapi";
import { AuthorizationError } from "../../../errors.ts";
import type { JsonObject } from "../../../lib/json.ts";
import { toStringList } from "../../fetch/read-json.ts";
import { toPrintable } from "../../printable.ts";
import { type FetchContext, fetchMetadata } from "./fetch-metadata.ts";

const step = "server-metadata";

/** Reads the metadata of the authorization server that a protected resource names. */
export async function discoverAuthorizationServer(
  issuer: string,
  discovery: FetchContext,
): Promise<AuthorizationServer> {
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined;
  if (url === undefined || url.search !== "" || url.hash !== "")
    throw new AuthorizationError(
      `${toPrintable(issuer)} is not the name of an authorization server.`,
      "metadata",
    );
  for (const place of placesOf(url)) {
    const document = await fetchMetadata(step, place, discovery);
    if (document) return toServer(document, [issuer], discovery);
  }
  throw new AuthorizationError(`${url.origin} publishes no authorization server metadata.`, "discovery");
}

/**
 * Where a server names no authorization server, it is one itself: with metadata at its origin,
 * or with endpoints at the places that the first revision with authorization sets.
 */
export async function discoverDefaultAuthorizationServer(
  server: URL,
  discovery: FetchContext,
): Promise<AuthorizationServer> {
  const { origin } = server;
  for (const place of placesOf(new URL(origin))) {
    const document = await fetchMetadata(step, place, discovery);
    if (document) return toServer(document, [origin, `${origin}/`], discovery);
  }
  discovery.trace.add(step, "ok", { url: origin, detail: "default endpoints" });
  return {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    // That revision requires PKCE of everybody.
    code_challenge_methods_supported: ["S256"],
  };
}

function placesOf({ origin, pathname }: URL): URL[] {
  const path = pathname.replace(/\/$/, "");
  const paths =
    path === ""
      ? ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"]
      : [
          `/.well-known/oauth-authorization-server${path}`,
          `/.well-known/openid-configuration${path}`,
          `${path}/.well-known/openid-configuration`,
        ];
  return paths.map((place) => new URL(place, origin));
}

/** Believes only a document that names the very issuer it was asked of: another's endpoints are not its to give. */
function toServer(
  document: JsonObject,
  issuers: readonly string[],
  { trace }: FetchContext,
): AuthorizationServer {
  const { issuer, token_endpoint: tokenEndpoint } = document;
  if (typeof issuer !== "string" || !issuers.includes(issuer)) {
    const shown = typeof issuer === "string" ? toPrintable(issuer) : "nobody";
    trace.add(step, "refused", { detail: `issuer ${shown}` });
    throw new AuthorizationError(
      `The metadata of ${toPrintable(issuers[0] ?? "")} names ${shown} as issuer, which is another text; pass the right one as issuer if you trust it.`,
      "metadata",
    );
  }
  if (typeof tokenEndpoint !== "string")
    throw new AuthorizationError(`The metadata of ${toPrintable(issuer)} has no token endpoint.`, "metadata");
  return {
    ...pick(document, texts, isText),
    ...pickLists(document),
    ...pick(document, flags, isFlag),
    issuer,
  };
}

const texts = [
  "authorization_endpoint",
  "token_endpoint",
  "registration_endpoint",
  "device_authorization_endpoint",
];
const lists = [
  "scopes_supported",
  "code_challenge_methods_supported",
  "token_endpoint_auth_methods_supported",
  "dpop_signing_alg_values_supported",
  "id_token_signing_alg_values_supported",
];
const flags = ["authorization_response_iss_parameter_supported", "client_id_metadata_document_supported"];

const isText = (value: unknown): boolean => typeof value === "string";
const isFlag = (value: unknown): boolean => typeof value === "boolean";

/** The members that are of use, and are what they should be; all others are as good as absent. */
function pick(
  document: JsonObject,
  names: readonly string[],
  isRight: (value: unknown) => boolean,
): JsonObject {
  return Object.fromEntries(
    names.flatMap((name) => (isRight(document[name]) ? [[name, document[name]]] : [])),
  );
}

function pickLists(document: JsonObject): JsonObject {
  const found = lists.map((name) => [name, toStringList(document[name])] as const);
  return Object.fromEntries(found.filter(([, list]) => list !== undefined));
}
