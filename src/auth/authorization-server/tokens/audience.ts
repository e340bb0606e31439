import { OAuthError } from "../http/oauth-error.ts";

/** Where tokens may be good (RFC 8707). */
export interface Audiences {
  /** Undefined for anywhere. */
  readonly allowed: readonly string[] | undefined;
  /** Where a token is good whose client named nothing. */
  readonly fallback: string;
}

/** Throws for what a client can't get a token for. */
export function assertResources(resources: readonly string[], { allowed }: Audiences): void {
  for (const resource of resources) {
    if (!URL.canParse(resource) || resource.includes("#")) {
      throw invalidTarget("The resource must be an absolute URI without a fragment.");
    }
    if (allowed && !allowed.includes(resource)) {
      throw invalidTarget(`No tokens are given for the resource ${JSON.stringify(resource)}.`);
    }
  }
}

/** The audience of a token, narrowed to what this request names. */
export function toAudience(
  named: readonly string[],
  granted: readonly string[],
  audiences: Audiences,
): readonly string[] {
  assertResources(named, audiences);
  if (granted.length > 0 && !named.every((resource) => granted.includes(resource))) {
    throw invalidTarget("The resource is not one that was granted.");
  }
  if (named.length > 0) return named;
  return granted.length > 0 ? granted : [audiences.fallback];
}

function invalidTarget(description: string): OAuthError {
  return new OAuthError("invalid_target", description);
}
