import { sha256 } from "../../../lib/encoding/sha256.ts";
import { OAuthError } from "../http/oauth-error.ts";
import { jsonResponse } from "../http/response.ts";
import type { OAuthEndpoint } from "../http/router.ts";
import { endpointPaths } from "../metadata.ts";
import { verifyDpopProof } from "../tokens/dpop-proof.ts";
import type { DevIssuer } from "./dev-issuer.ts";
import { findUser, toProfile } from "./user.ts";

/** Returns the profile of a user (OpenID Connect Core, section 5.3). */
export function userinfoEndpoint(issuer: DevIssuer): OAuthEndpoint {
  const answer = async (request: Request): Promise<Response> => {
    const [, scheme = "", token = ""] =
      /^(Bearer|DPoP) (\S+)$/i.exec(request.headers.get("authorization") ?? "") ?? [];
    const claims = await issuer.tokenIssuer.verifyAccessToken(token);
    const scopes = String(claims?.scope ?? "").split(" ");
    if (claims === undefined || !scopes.includes("openid"))
      throw invalidToken("A valid token with the scope openid is required.");
    const bound = (claims.cnf as { jkt?: string } | undefined)?.jkt;
    if ((bound === undefined) === (scheme.toLowerCase() === "dpop"))
      throw invalidToken("The Authorization scheme does not match the token.");
    if (bound !== undefined) await assertBound(issuer, request, { token, bound });
    const user = findUser(issuer, claims.sub ?? "");
    return jsonResponse({ sub: user.subject, ...toProfile(user, scopes) });
  };
  return { GET: answer, POST: answer, allowAnyOrigin: true };
}

async function assertBound(
  { url, values }: DevIssuer,
  request: Request,
  { token, bound }: { token: string; bound: string },
): Promise<void> {
  const proof = { values, url: url + endpointPaths.userinfo, required: true, nonce: false };
  const thumbprint = await verifyDpopProof(request, { ...proof, tokenHash: await sha256(token) });
  if (thumbprint !== bound) throw invalidToken("The token is bound to another key.");
}

function invalidToken(description: string): OAuthError {
  const headers = { "www-authenticate": `Bearer error="invalid_token"` };
  return new OAuthError("invalid_token", description, { status: 401, headers });
}
