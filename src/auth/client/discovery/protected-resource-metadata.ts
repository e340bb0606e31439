import { AuthorizationError } from "../../../errors.ts";
import type { JsonObject } from "../../../lib/json.ts";
import { toAsciiLine } from "../../ascii-line.ts";
import { toStringList } from "../../fetch/read-json.ts";
import { type FetchContext, fetchMetadata } from "./fetch-metadata.ts";

/** The metadata of a protected resource (RFC 9728). */
export interface ProtectedResourceMetadata {
  /** The resource identifier, sent to the authorization server unchanged. */
  readonly resource: string;
  readonly authorizationServers: readonly string[];
  readonly scopes: readonly string[] | undefined;
  readonly requiresDpop: boolean;
}

const step = "resource-metadata";
const wellKnown = "/.well-known/oauth-protected-resource";

/**
 * Reads the metadata from the URL of the challenge, else from the well-known URLs; undefined when there is none.
 *
 * basic/authorization#protected-resource-metadata-discovery-requirements (2025-11-25)
 */
export async function discoverProtectedResource(
  server: URL,
  named: string | undefined,
  context: FetchContext,
): Promise<ProtectedResourceMetadata | undefined> {
  for (const url of toWellKnownUrls(server, named)) {
    const document = await fetchMetadata(step, url, context);
    if (document) return toResourceMetadata(document, server);
  }
  return undefined;
}

function toWellKnownUrls(server: URL, named: string | undefined): URL[] {
  const path = server.pathname.replace(/\/$/, "");
  const urls = [
    ...(named !== undefined && URL.canParse(named) ? [new URL(named)] : []),
    ...(path === "" ? [] : [new URL(`${wellKnown}${path}${server.search}`, server.origin)]),
    new URL(wellKnown, server.origin),
  ];
  return urls.filter((url, index) => urls.findIndex(({ href }) => href === url.href) === index);
}

function toResourceMetadata(document: JsonObject, server: URL): ProtectedResourceMetadata {
  const { resource } = document;
  if (typeof resource !== "string" || !covers(resource, server)) {
    const shown = typeof resource === "string" ? toAsciiLine(resource) : "nothing";
    throw new AuthorizationError(
      `The resource metadata of ${server.origin}${server.pathname} is for ${shown}, not for this server.`,
      "metadata",
    );
  }
  return {
    resource,
    authorizationServers: toStringList(document.authorization_servers, 10) ?? [],
    scopes: toStringList(document.scopes_supported),
    requiresDpop: document.dpop_bound_access_tokens_required === true,
  };
}

/**
 * True when a resource identifier covers the server: its own URL, or a parent path at the same origin.
 *
 * RFC 9728, section 3.3, wants the URL itself, but many servers name their origin, and the official suite tests that
 * clients accept it. draft-mcguinness-oauth-rfc9728bis has this rule.
 */
function covers(resource: string, server: URL): boolean {
  if (!URL.canParse(resource)) return false;
  const { origin, pathname, search, username, password } = new URL(resource);
  // The authorization server gets the text, and may read dot segments and the like as another resource.
  const path = /^https?:\/\/[^/?#\\\s]+(.*)$/i.exec(resource)?.[1];
  if ((path === "" ? "/" : path) !== `${pathname}${search}`) return false;
  if (origin !== server.origin || username !== "" || password !== "") return false;
  if (search !== "" && search !== server.search) return false;
  const parent = pathname.endsWith("/") ? pathname : `${pathname}/`;
  return `${server.pathname}/`.startsWith(parent);
}
