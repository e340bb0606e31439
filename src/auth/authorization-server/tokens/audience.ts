import { OAuthError } from "../http/oauth-error.ts";

/** The resources that tokens can be issued for (RFC 8707). */
export interface Audiences {
  /** The allowed resources; undefined for any. */
  readonly allowed: readonly string[] | undefined;
  /** The audience of a token whose client names no resource. */
  readonly fallback: string;
}

/** Throws OAuthError for a resource that no tokens are issued for. */
export function assertResources(resources: readonly string[], { allowed }: Audiences): void {
  for (const resource of resources) {
    if (!URL.canParse(resource) || resource.includes("#")) {
      throw invalidTarget("The resource must be an absolute URI without a fragment.");
    }
    if (allowed && !allowed.includes(resource)) {
      throw invalidTarget(`No tokens are issued for the resource ${JSON.stringify(resource)}.`);
    }
  }
}

/** The audience of a token that needs no grant of a user. */
export function toAudience(requested: readonly string[], audiences: Audiences): readonly string[] {
  assertResources(requested, audiences);
  return requested.length > 0 ? requested : [audiences.fallback];
}

/**
 * The audience of a token, narrowed to the resources of the token request (RFC 8707, section 2.2).
 *
 * A grant that names none is for the fallback alone: otherwise its code would be good for every resource.
 */
export function toGrantedAudience(
  requested: readonly string[],
  granted: readonly string[],
  audiences: Audiences,
): readonly string[] {
  assertResources(requested, audiences);
  const bound = granted.length > 0 ? granted : [audiences.fallback];
  if (!requested.every((resource) => bound.includes(resource)))
    throw invalidTarget("The resource is not one that was granted.");
  return requested.length > 0 ? requested : bound;
}

function invalidTarget(description: string): OAuthError {
  return new OAuthError("invalid_target", description);
}
