import {
  authorizationEndpoint,
  createCodeUrl,
  withErrorPage,
  withRedirectedErrors,
} from "../authorization-endpoint.ts";
import type { AuthorizationRequest } from "../authorization-request.ts";
import { OAuthError } from "../http/oauth-error.ts";
import { redirectResponse } from "../http/response.ts";
import type { OAuthEndpoint } from "../http/router.ts";
import { endpointPaths } from "../metadata.ts";
import { UserConsent } from "../user-consent.ts";
import type { DevIssuer } from "./dev-issuer.ts";
import type { DevUser } from "./options.ts";
import { findAutoApprover, findUser, toUserChoice, toUserGrant } from "./user.ts";

/** Where users decide: the authorization endpoint, and the form of its page. */
export function authorizationEndpoints(issuer: DevIssuer): {
  authorize: OAuthEndpoint;
  consent: OAuthEndpoint;
} {
  const { url, values } = issuer;
  const consent = new UserConsent<AuthorizationRequest>({ issuer: url, values, path: endpointPaths.consent });
  const decide = async (request: AuthorizationRequest, http: Request): Promise<Response> => {
    // A page of another site that sends the browser here must not get a token without a word.
    const isOfSite = http.headers.get("sec-fetch-site") === "cross-site";
    const approver = isOfSite ? undefined : findApprover(issuer, request);
    if (approver) return sendCode(issuer, request, approver);
    if (request.prompt.includes("none")) throw new OAuthError("consent_required", "The user must be asked.");
    return consent.ask(request, toUserChoice(issuer.users));
  };
  const onAnswer = async (http: Request): Promise<Response> => {
    const { request, isAllowed, form } = await consent.readDecision(http);
    return withRedirectedErrors(url, request, async () => {
      if (!isAllowed) throw new OAuthError("access_denied", "The user said no.");
      return sendCode(issuer, request, findUser(issuer, form.require("user")));
    });
  };
  return {
    authorize: authorizationEndpoint({ ...issuer, issuer: url, decide }),
    consent: { POST: (http) => withErrorPage(() => onAnswer(http)) },
  };
}

/** Where everything is approved, a client may still choose the user by a hint. */
function findApprover(issuer: DevIssuer, { loginHint }: AuthorizationRequest): DevUser | undefined {
  const approver = findAutoApprover(issuer);
  const hinted = issuer.users.find(({ subject, email }) => [subject, email].includes(loginHint ?? ""));
  return approver && (hinted ?? approver);
}

async function sendCode(issuer: DevIssuer, request: AuthorizationRequest, user: DevUser): Promise<Response> {
  const grant = toUserGrant(issuer, user, { ...request, clientId: request.client.client_id });
  return redirectResponse(await createCodeUrl({ ...issuer, issuer: issuer.url }, request, grant));
}
