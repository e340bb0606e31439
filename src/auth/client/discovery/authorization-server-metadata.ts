import type { AuthorizationServer } from "oauth4webapi";
import { AuthorizationError } from "../../../errors.ts";
import type { JsonObject } from "../../../lib/json.ts";
import { toAsciiLine } from "../../ascii-line.ts";
import { toStringList } from "../../fetch/read-json.ts";
import { type FetchContext, fetchMetadata } from "./fetch-metadata.ts";

const step = "server-metadata";

/**
 * Reads the metadata of the authorization server that a protected resource names.
 *
 * basic/authorization#authorization-server-metadata-discovery (2025-11-25)
 */
export async function discoverAuthorizationServer(
  issuer: string,
  context: FetchContext,
): Promise<AuthorizationServer> {
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined;
  if (url === undefined || url.search !== "" || url.hash !== "")
    throw new AuthorizationError(
      `${toAsciiLine(issuer)} is not a valid issuer: it must be a URL without query and fragment.`,
      "metadata",
    );
  for (const wellKnownUrl of toWellKnownUrls(url)) {
    const document = await fetchMetadata(step, wellKnownUrl, context);
    if (document) return toServer(document, [issuer], context);
  }
  throw new AuthorizationError(`${url.origin} publishes no authorization server metadata.`, "discovery");
}

/**
 * The authorization server of a server that names none: its own origin, with metadata there, or
 * with the default endpoints of the first revision that has authorization.
 */
export async function discoverDefaultAuthorizationServer(
  server: URL,
  context: FetchContext,
): Promise<AuthorizationServer> {
  const { origin } = server;
  for (const wellKnownUrl of toWellKnownUrls(new URL(origin))) {
    const document = await fetchMetadata(step, wellKnownUrl, context);
    if (document) return toServer(document, [origin, `${origin}/`], context);
  }
  context.trace.add(step, "ok", { url: origin, detail: "default endpoints" });
  return {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    // That revision requires PKCE: basic/authorization#fallbacks-for-servers-without-metadata-discovery (2025-03-26).
    code_challenge_methods_supported: ["S256"],
  };
}

function toWellKnownUrls({ origin, pathname }: URL): URL[] {
  const path = pathname.replace(/\/$/, "");
  const paths =
    path === ""
      ? ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"]
      : [
          `/.well-known/oauth-authorization-server${path}`,
          `/.well-known/openid-configuration${path}`,
          `${path}/.well-known/openid-configuration`,
        ];
  // Joined, not resolved against the origin, so that `//elsewhere/x` stays a path of the issuer.
  return paths.map((wellKnownPath) => new URL(origin + wellKnownPath));
}

/** Accepts only metadata whose issuer is exactly the one requested (RFC 8414, section 3.3). */
function toServer(
  document: JsonObject,
  issuers: readonly string[],
  { trace }: FetchContext,
): AuthorizationServer {
  const { issuer, token_endpoint: tokenEndpoint } = document;
  if (typeof issuer !== "string" || !issuers.includes(issuer)) {
    const shown = typeof issuer === "string" ? toAsciiLine(issuer) : "none";
    trace.add(step, "refused", { detail: `issuer ${shown}` });
    throw new AuthorizationError(
      `The metadata of ${toAsciiLine(issuers[0] ?? "")} names ${shown} as its issuer; the two must be identical. Set the issuer option to that value if you trust it.`,
      "metadata",
    );
  }
  if (typeof tokenEndpoint !== "string")
    throw new AuthorizationError(`The metadata of ${toAsciiLine(issuer)} has no token endpoint.`, "metadata");
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

/** The members in `names` that have the right type; others are ignored. */
function pick(
  document: JsonObject,
  names: readonly string[],
  isValid: (value: unknown) => boolean,
): JsonObject {
  return Object.fromEntries(
    names.flatMap((name) => (isValid(document[name]) ? [[name, document[name]]] : [])),
  );
}

function pickLists(document: JsonObject): JsonObject {
  const found = lists.map((name) => [name, toStringList(document[name])] as const);
  return Object.fromEntries(found.filter(([, list]) => list !== undefined));
}
