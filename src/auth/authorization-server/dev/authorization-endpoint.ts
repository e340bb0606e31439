import {
  authorizationEndpoint,
  createCodeUrl,
  withErrorPage,
  withRedirectedErrors,
} from "../authorization-endpoint.ts";
import { OAuthError } from "../http/oauth-error.ts";
import { redirectResponse, withCookies } from "../http/response.ts";
import type { OAuthEndpoint } from "../http/router.ts";
import { endpointPaths } from "../metadata.ts";
import type { AuthorizationRequest } from "../read-authorization-request.ts";
import { UserConsent } from "../user-consent.ts";
import type { DevIssuer } from "./dev-issuer.ts";
import type { DevUser } from "./options.ts";
import { findAutoApprover, findUser, toUserChoice, toUserGrant } from "./user.ts";

/** The authorization endpoint, and the endpoint that its consent form is sent to. */
export function authorizationEndpoints(issuer: DevIssuer): {
  authorize: OAuthEndpoint;
  consent: OAuthEndpoint;
} {
  const { url, keys } = issuer;
  const consent = new UserConsent<AuthorizationRequest>({ issuer: url, keys, path: endpointPaths.consent });
  const decide = async (request: AuthorizationRequest, http: Request): Promise<Response> => {
    const approver = findApprover(issuer, request, http);
    if (approver) return sendCode(issuer, request, approver);
    if (request.prompt.includes("none"))
      throw new OAuthError("consent_required", "The user's consent is required.");
    return consent.ask(http, request, toUserChoice(issuer.users));
  };
  const onDecision = async (http: Request): Promise<Response> => {
    const { request, isAllowed, form, clearCookie } = await consent.readDecision(http);
    const answer = withRedirectedErrors(url, request, async () => {
      if (!isAllowed) throw new OAuthError("access_denied", "The user denied the request.");
      return sendCode(issuer, request, findUser(issuer, form.require("user")));
    });
    return withCookies(await answer, [clearCookie]);
  };
  return {
    authorize: authorizationEndpoint({ ...issuer, issuer: url, decide }),
    consent: { POST: (http) => withErrorPage(() => onDecision(http)) },
  };
}

/** The user of an automatic approval; a client can choose one by `login_hint`. */
function findApprover(
  issuer: DevIssuer,
  { loginHint }: AuthorizationRequest,
  http: Request,
): DevUser | undefined {
  const approver = findAutoApprover(issuer, http);
  const hinted = issuer.users.find(({ subject, email }) => [subject, email].includes(loginHint ?? ""));
  return approver && (hinted ?? approver);
}

async function sendCode(issuer: DevIssuer, request: AuthorizationRequest, user: DevUser): Promise<Response> {
  const grant = toUserGrant(issuer, user, { ...request, clientId: request.client.client_id });
  return redirectResponse(await createCodeUrl({ ...issuer, issuer: issuer.url }, request, grant));
}
