import type { AuthorizationServer } from "oauth4webapi";
import type { AccessChallenge } from "./access-challenge.ts";
import {
  discoverAuthorizationServer,
  discoverDefaultAuthorizationServer,
} from "./authorization-server-metadata.ts";
import type { FetchContext } from "./fetch-metadata.ts";
import { discoverProtectedResource } from "./protected-resource-metadata.ts";

/** Where to obtain credentials for a server. */
export interface AuthorizationRequirements {
  readonly server: AuthorizationServer;
  /** The identifier of the resource, as its metadata writes it. */
  readonly resource: string;
  /** Those that the resource metadata lists. */
  readonly scopes: readonly string[] | undefined;
  readonly requiresDpop: boolean;
}

/** Finds out by whom, and for what, credentials are given; asked anew each time, since that may change. */
export async function discoverRequirements(
  url: URL,
  challenge: AccessChallenge,
  preferred: readonly (string | undefined)[],
  discovery: FetchContext,
): Promise<AuthorizationRequirements> {
  const metadata = await discoverProtectedResource(url, challenge.resourceMetadata, discovery);
  const requiresDpop = challenge.scheme === "dpop" || metadata?.requiresDpop === true;
  const issuers = metadata?.authorizationServers ?? [];
  const issuer = preferred.find((wanted) => issuers.some((listed) => isSame(listed, wanted))) ?? issuers[0];
  const server =
    issuer === undefined
      ? await discoverDefaultAuthorizationServer(url, discovery)
      : await discoverAuthorizationServer(issuer, discovery);
  return {
    server,
    resource: metadata?.resource ?? toCanonicalServerUri(url),
    scopes: metadata?.scopes,
    requiresDpop,
  };
}

/** Servers list some issuers without the slash at their end; then what the host says counts, and nothing else does. */
function isSame(listed: string, wanted: string | undefined): boolean {
  return wanted !== undefined && listed.replace(/\/$/, "") === wanted.replace(/\/$/, "");
}

/** The address of a server that publishes no identifier of its own. */
export function toCanonicalServerUri({ origin, pathname, search }: URL): string {
  return pathname === "/" && search === "" ? origin : `${origin}${pathname}${search}`;
}
