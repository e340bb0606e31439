import { jsonResponse } from "./http/response.ts";
import type { OAuthEndpoint } from "./http/router.ts";
import type { Issuer } from "./issuer.ts";
import { endpointPaths } from "./metadata.ts";

/** An endpoint and its path below the issuer's URL. */
export type EndpointEntry = readonly [path: string, endpoint: OAuthEndpoint];

export interface PublishedMetadata {
  readonly document: object;
  readonly paths: readonly string[];
}

/** The endpoints of an issuer by their full path, with its key set and its metadata. */
export function toEndpointTable(
  { url, keys }: Issuer,
  endpoints: readonly EndpointEntry[],
  metadata: PublishedMetadata,
): ReadonlyMap<string, OAuthEndpoint> {
  const base = new URL(url).pathname.replace(/\/$/, "");
  const keySet: OAuthEndpoint = { GET: () => jsonResponse(keys.publicKeys), allowAnyOrigin: true };
  const document: OAuthEndpoint = { GET: () => jsonResponse(metadata.document), allowAnyOrigin: true };
  return new Map<string, OAuthEndpoint>([
    ...endpoints.map(([path, endpoint]) => [base + path, endpoint] as const),
    [base + endpointPaths.jwks, keySet],
    ...metadata.paths.map((path) => [path, document] as const),
  ]);
}
