import { parseChallenges } from "../../www-authenticate.ts";

/** The requirements in the challenges of a server that refused a request. */
export interface AccessChallenge {
  readonly scheme: "bearer" | "dpop" | undefined;
  readonly resourceMetadata: string | undefined;
  readonly scopes: readonly string[] | undefined;
  readonly error: string | undefined;
  /** The revision of the request that was refused. */
  readonly revision?: string | undefined;
}

/** Joins the challenges of a response: a server may put a parameter into any of them. */
export function readAccessChallenge(headers: Headers): AccessChallenge {
  const challenges = parseChallenges(headers.get("www-authenticate") ?? "");
  // DPoP, which binds tokens to a key, is preferred.
  const ours = (["dpop", "bearer"] as const).flatMap((scheme) =>
    challenges
      .filter((challenge) => challenge.scheme === scheme)
      .map(({ parameters }) => ({ scheme, parameters })),
  );
  const find = (name: string) => ours.find(({ parameters }) => parameters.has(name))?.parameters.get(name);
  const scopes = find("scope")?.split(" ").filter(Boolean);
  return {
    scheme: ours[0]?.scheme,
    resourceMetadata: find("resource_metadata"),
    scopes: scopes && scopes.length > 0 ? scopes : undefined,
    error: find("error"),
  };
}
