import type { JWTPayload } from "jose";
import type { JsonObject } from "../../../lib/json.ts";
import { invalidRequestError, OAuthError } from "../http/oauth-error.ts";
import type { GrantHandler, TokenRequest } from "../token-endpoint.ts";
import { assertResources } from "../tokens/audience.ts";
import { createAuthorizationGrant } from "../tokens/authorization-grant.ts";
import { assertConfidentialClient } from "./client-permissions.ts";
import type { DevIssuer } from "./dev-issuer.ts";

export const tokenExchangeGrantType: string = "urn:ietf:params:oauth:grant-type:token-exchange";

const accessTokenType = "urn:ietf:params:oauth:token-type:access_token";
const supportedTypes: readonly string[] = [accessTokenType, "urn:ietf:params:oauth:token-type:jwt"];

/** Exchanges the token of a caller for a token for another service (RFC 8693). */
export function tokenExchangeGrant(issuer: DevIssuer): GrantHandler {
  return async (request) => {
    const { client, form, thumbprint } = request;
    assertConfidentialClient(client);
    if (!supportedTypes.includes(form.get("requested_token_type") ?? accessTokenType)) {
      throw invalidRequestError("Only access tokens are issued.");
    }
    const subject = await readToken(issuer, request, "subject_token");
    const available = String(subject.scope ?? "").split(" ");
    const requested = form.list("scope");
    if (!requested.every((scope) => available.includes(scope))) {
      throw new OAuthError("invalid_scope", "The scope exceeds that of the subject token.");
    }
    const scopes =
      requested.length > 0 ? requested : available.filter((scope) => scope !== "" && scope !== "openid");
    const resources = readTargets(issuer, request);
    const audience = resources.length > 0 ? resources : [issuer.audiences.fallback];
    const actor = await readActor(issuer, request, subject);
    const { sub = "", jti = "" } = subject;
    const claims = issuer.users.find((user) => user.subject === sub)?.claims ?? {};
    const granted = createAuthorizationGrant({
      clientId: client.client_id,
      subject: sub,
      scopes,
      resources,
      claims,
    });
    // The grant of the subject token, so that both tokens are revoked together.
    const grant = { ...granted, id: jti.split(".")[0] ?? granted.id };
    const answer = await issuer.tokenIssuer.issue({
      grant,
      audience,
      scopes,
      thumbprint,
      refresh: false,
      actor,
    });
    return { ...answer, issued_token_type: accessTokenType };
  };
}

/** Reads the targets: resources are URIs, audiences can be any name. */
function readTargets({ audiences }: DevIssuer, { form }: TokenRequest): readonly string[] {
  const [resources, names] = [form.all("resource"), form.all("audience")];
  assertResources(resources, audiences);
  if (audiences.allowed && !names.every((name) => audiences.allowed?.includes(name))) {
    throw new OAuthError("invalid_target", "No tokens are issued for this audience.");
  }
  return [...resources, ...names];
}

async function readToken(issuer: DevIssuer, { form }: TokenRequest, name: string): Promise<JWTPayload> {
  const claims = await issuer.tokenIssuer.verifyAccessToken(form.require(name));
  if (claims === undefined) throw invalidRequestError(`The ${name} is not a valid token of this issuer.`);
  if (!supportedTypes.includes(form.require(`${name}_type`)))
    throw invalidRequestError(`The ${name}_type is not supported.`);
  return claims;
}

/** The actor claim, with the earlier actors nested in it (RFC 8693, section 4.1). */
async function readActor(issuer: DevIssuer, request: TokenRequest, subject: JWTPayload): Promise<JsonObject> {
  const { client, form } = request;
  const actor = form.get("actor_token") && (await readToken(issuer, request, "actor_token"));
  const earlier = subject.act as JsonObject | undefined;
  return { sub: actor?.sub || client.client_id, ...(earlier && { act: earlier }) };
}
