import type { AuthorizationServer } from "oauth4webapi";
import { AuthorizationError } from "../../../errors.ts";
import { toAsciiLine } from "../../ascii-line.ts";
import type { AccessChallenge } from "./access-challenge.ts";
import {
  discoverAuthorizationServer,
  discoverDefaultAuthorizationServer,
} from "./authorization-server-metadata.ts";
import type { FetchContext } from "./fetch-metadata.ts";
import { discoverProtectedResource } from "./protected-resource-metadata.ts";

/** The authorization server, the resource and the scopes that tokens for a server need. */
export interface AuthorizationRequirements {
  readonly server: AuthorizationServer;
  /** The identifier of the resource, as its metadata writes it. */
  readonly resource: string;
  /** The scopes that the resource metadata lists. */
  readonly scopes: readonly string[] | undefined;
  readonly requiresDpop: boolean;
}

/** The authorization servers to choose, where a server names several. */
export interface IssuerChoice {
  /** The only one to use. */
  readonly required: string | undefined;
  readonly preferred: readonly (string | undefined)[];
}

/**
 * Discovers the requirements anew each time, since a server may change its authorization server.
 *
 * basic/authorization/client-registration#authorization-server-binding (2026-07-28)
 */
export async function discoverRequirements(
  url: URL,
  challenge: AccessChallenge,
  choice: IssuerChoice,
  base: FetchContext,
): Promise<AuthorizationRequirements> {
  const { revision } = challenge;
  const context = revision === undefined ? base : { ...base, server: { origin: url.origin, revision } };
  const metadata = await discoverProtectedResource(url, challenge.resourceMetadata, context);
  const requiresDpop = challenge.scheme === "dpop" || metadata?.requiresDpop === true;
  const issuers = metadata?.authorizationServers ?? [];
  assertNamed(choice.required, issuers.length > 0 ? issuers : [url.origin]);
  const issuer =
    [choice.required, ...choice.preferred].find((chosen) =>
      issuers.some((listed) => isSameIssuer(listed, chosen)),
    ) ?? issuers[0];
  const server =
    issuer === undefined
      ? await discoverDefaultAuthorizationServer(url, context)
      : await discoverAuthorizationServer(issuer, context);
  return {
    server,
    resource: metadata?.resource ?? toCanonicalServerUri(url),
    scopes: metadata?.scopes,
    requiresDpop,
  };
}

function assertNamed(required: string | undefined, issuers: readonly string[]): void {
  if (required === undefined || issuers.some((listed) => isSameIssuer(listed, required))) return;
  throw new AuthorizationError(
    `The server names ${issuers.map((listed) => toAsciiLine(listed)).join(", ")} as its authorization server, not ${toAsciiLine(required)}, which the issuer option requires.`,
    "metadata",
  );
}

/** Compares without a trailing slash, which some servers drop. The issuer is then used as the host wrote it. */
export function isSameIssuer(listed: string, chosen: string | undefined): boolean {
  return chosen !== undefined && listed.replace(/\/$/, "") === chosen.replace(/\/$/, "");
}

/** The resource identifier of a server without metadata. basic/authorization#canonical-server-uri (2025-11-25) */
export function toCanonicalServerUri({ origin, pathname, search }: URL): string {
  return pathname === "/" && search === "" ? origin : `${origin}${pathname}${search}`;
}
