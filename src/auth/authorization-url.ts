import { calculatePKCECodeChallenge } from "oauth4webapi";
import { randomToken } from "../lib/encoding/random-token.ts";

/** The secrets of one authorization request: the callback must repeat the state, and the code is exchanged with the verifier. */
export interface AuthorizationSecrets {
  readonly state: string;
  /** The code verifier of PKCE (RFC 7636). */
  readonly verifier: string;
}

export function createAuthorizationSecrets(): AuthorizationSecrets {
  return { state: randomToken(), verifier: randomToken() };
}

/** The URL of an authorization request for a code, with the PKCE challenge of its verifier. `parameters` cannot replace these. */
export async function toAuthorizationUrl(
  endpoint: URL,
  { state, verifier }: AuthorizationSecrets,
  parameters: Readonly<Record<string, string>>,
): Promise<URL> {
  const url = new URL(endpoint);
  const query = {
    ...parameters,
    response_type: "code",
    state,
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
  };
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url;
}
