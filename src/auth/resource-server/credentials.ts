import type { ProtectedRequest } from "../../contract/http-auth.ts";

/** The scheme of the Authorization header: a token alone, or with a proof that the client holds a key. */
export type AuthScheme = "Bearer" | "DPoP";

export type PresentedCredentials =
  | { readonly kind: "none" }
  | { readonly kind: "token"; readonly scheme: AuthScheme; readonly token: string }
  | { readonly kind: "malformed"; readonly problem: string };

const tokenPattern = /^[A-Za-z0-9._~+/-]+=*$/;
const maxTokenLength = 16_384;

/** Reads the token of a request, which may only be in its Authorization header (RFC 6750, section 2.1). */
export function readCredentials(request: ProtectedRequest): PresentedCredentials {
  // basic/authorization#token-requirements (2025-11-25): URLs, and tokens in them, end up in logs.
  if (request.query !== "" && new URLSearchParams(request.query).has("access_token"))
    return malformed("The token must not be in the URL; send it in the Authorization header.");
  const header = request.header("authorization");
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

function malformed(problem: string): PresentedCredentials {
  return { kind: "malformed", problem };
}
