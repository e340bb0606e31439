import { json } from "../issuer/answer.ts";
import { type AuthenticationOptions, authenticateClient } from "../issuer/client-authentication.ts";
import { readProof } from "../issuer/dpop-proof.ts";
import { paths } from "../issuer/metadata.ts";
import { readForm } from "../issuer/parameters.ts";
import { digest } from "../issuer/random-token.ts";
import { invalidClient, Refusal } from "../issuer/refusal.ts";
import type { Route } from "../issuer/router.ts";
import type { DevIssuer } from "./dev-issuer.ts";
import { findUser, toProfile } from "./user-grant.ts";

/** Says what a token means, to clients that prove who they are (RFC 7662). */
export function introspection({ minter, grants }: DevIssuer, authentication: AuthenticationOptions): Route {
  const answer = async (request: Request): Promise<Response> => {
    const form = await readForm(request);
    const client = await authenticateClient(request, form, authentication);
    if (client.token_endpoint_auth_method === "none") throw invalidClient("Public clients may not ask.");
    const token = form.require("token");
    const claims = await minter.read(token);
    if (claims) return json({ ...claims, active: true, token_type: claims.cnf ? "DPoP" : "Bearer" });
    const grant = await grants.findRefresh(token);
    if (grant === undefined) return json({ active: false });
    const { subject, clientId, scopes, expiresAt } = grant;
    const exp = Math.floor(expiresAt / 1000);
    return json({ active: true, sub: subject, client_id: clientId, scope: scopes.join(" "), exp });
  };
  return { POST: answer, isOpen: true };
}

/** Says who a user is (OpenID Connect Core, 5.3). */
export function userinfo(issuer: DevIssuer): Route {
  const answer = async (request: Request): Promise<Response> => {
    const [, scheme = "", token = ""] =
      /^(Bearer|DPoP) (\S+)$/i.exec(request.headers.get("authorization") ?? "") ?? [];
    const claims = await issuer.minter.read(token);
    const scopes = String(claims?.scope ?? "").split(" ");
    if (claims === undefined || !scopes.includes("openid"))
      throw invalidToken("The token does not allow this.");
    const bound = (claims.cnf as { jkt?: string } | undefined)?.jkt;
    if ((bound === undefined) === (scheme.toLowerCase() === "dpop"))
      throw invalidToken("The scheme is wrong.");
    if (bound !== undefined) await assertBound(issuer, request, { token, bound });
    const user = findUser(issuer, claims.sub ?? "");
    return json({ sub: user.subject, ...toProfile(user, scopes) });
  };
  return { GET: answer, POST: answer, isOpen: true };
}

async function assertBound(
  { url, values }: DevIssuer,
  request: Request,
  { token, bound }: { token: string; bound: string },
): Promise<void> {
  const proof = { values, url: url + paths.userinfo, required: true, nonce: false };
  const thumbprint = await readProof(request, { ...proof, tokenHash: await digest(token) });
  if (thumbprint !== bound) throw invalidToken("The token is bound to another key.");
}

function invalidToken(description: string): Refusal {
  const headers = { "www-authenticate": `Bearer error="invalid_token"` };
  return new Refusal("invalid_token", description, { status: 401, headers });
}
