import { AuthorizationError } from "../../../errors.ts";
import type { JsonObject } from "../../../lib/json.ts";
import { toStringList } from "../../fetch/read-json.ts";
import { toPrintable } from "../../printable.ts";
import { type FetchContext, fetchMetadata } from "./fetch-metadata.ts";

/** What a server says of itself as a protected resource (RFC 9728). */
export interface ProtectedResourceMetadata {
  /** Sent to the authorization server as it is written here. */
  readonly resource: string;
  readonly authorizationServers: readonly string[];
  readonly scopes: readonly string[] | undefined;
  readonly requiresDpop: boolean;
}

const step = "resource-metadata";
const wellKnown = "/.well-known/oauth-protected-resource";

/** Asks where the challenge says, else at the well-known places; undefined when there is no such document. */
export async function discoverProtectedResource(
  server: URL,
  named: string | undefined,
  discovery: FetchContext,
): Promise<ProtectedResourceMetadata | undefined> {
  for (const url of placesOf(server, named)) {
    const document = await fetchMetadata(step, url, discovery);
    if (document) return toResourceMetadata(document, server);
  }
  return undefined;
}

function placesOf(server: URL, named: string | undefined): URL[] {
  const path = server.pathname.replace(/\/$/, "");
  const places = [
    ...(named !== undefined && URL.canParse(named) ? [new URL(named)] : []),
    ...(path === "" ? [] : [new URL(`${wellKnown}${path}${server.search}`, server.origin)]),
    new URL(wellKnown, server.origin),
  ];
  return places.filter((url, index) => places.findIndex(({ href }) => href === url.href) === index);
}

function toResourceMetadata(document: JsonObject, server: URL): ProtectedResourceMetadata {
  const { resource } = document;
  if (typeof resource !== "string" || !isFor(resource, server)) {
    const shown = typeof resource === "string" ? toPrintable(resource) : "nothing";
    throw new AuthorizationError(
      `The resource metadata of ${server.origin}${server.pathname} is for ${shown}, which is another resource.`,
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

/** Whether a resource identifier covers the server: its very address, or a path above it. */
function isFor(resource: string, server: URL): boolean {
  if (!URL.canParse(resource) || resource.includes("#")) return false;
  const { origin, pathname, search, username, password } = new URL(resource);
  if (origin !== server.origin || username !== "" || password !== "") return false;
  if (search !== "" && search !== server.search) return false;
  const above = pathname.endsWith("/") ? pathname : `${pathname}/`;
  return `${server.pathname}/`.startsWith(above);
}
