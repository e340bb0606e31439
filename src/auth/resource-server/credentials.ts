import type { ProtectedRequest } from "../../contract/http-auth.ts";

/** How a token was sent: alone, or with a proof that the client holds a key. */
export type AuthScheme = "Bearer" | "DPoP";

export type Credentials =
  | { readonly kind: "none" }
  | { readonly kind: "token"; readonly scheme: AuthScheme; readonly token: string }
  | { readonly kind: "malformed"; readonly problem: string };

const tokenPattern = /^[A-Za-z0-9._~+/-]+=*$/;
const maxTokenLength = 16_384;

/** The token of a request, which may only be in its Authorization header (RFC 6750, section 2). */
export function readCredentials(visit: ProtectedRequest): Credentials {
  // A URL ends up in logs and histories, and the token with it.
  if (visit.query !== "" && new URLSearchParams(visit.query).has("access_token"))
    return malformed("The token may not be part of the URL; send it in the Authorization header.");
  const header = visit.header("authorization");
  if (header === undefined) return { kind: "none" };
  const [, name = "", rest = ""] = /^([A-Za-z0-9-]+)(?: +(.*))?$/.exec(header) ?? [];
  const scheme = schemes.get(name.toLowerCase());
  if (scheme === undefined) return { kind: "none" };
  if (rest.length > maxTokenLength || !tokenPattern.test(rest))
    return malformed("The Authorization header must hold one token.");
  return { kind: "token", scheme, token: rest };
}

const schemes: ReadonlyMap<string, AuthScheme> = new Map([
  ["bearer", "Bearer"],
  ["dpop", "DPoP"],
]);

function malformed(problem: string): Credentials {
  return { kind: "malformed", problem };
}
