import { parseChallenges } from "../../www-authenticate.ts";

/** What a server that refused a request asks for. */
export interface AccessChallenge {
  readonly scheme: "bearer" | "dpop" | undefined;
  readonly resourceMetadata: string | undefined;
  readonly scopes: readonly string[] | undefined;
  readonly error: string | undefined;
}

/** What the challenges say together: a server may name a thing in any of them. */
export function readAccessChallenge(headers: Headers): AccessChallenge {
  const challenges = parseChallenges(headers.get("www-authenticate") ?? "");
  // The one that binds tokens to a key comes first.
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
