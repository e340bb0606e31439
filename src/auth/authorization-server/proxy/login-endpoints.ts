import { type Html, html } from "../../../lib/text/html.ts";
import {
  authorizationEndpoint,
  createCodeUrl,
  redirectAfterConfirmation,
  withErrorPage,
  withRedirectedErrors,
} from "../authorization-endpoint.ts";
import { OAuthError } from "../http/oauth-error.ts";
import { redirectResponse, withCookies } from "../http/response.ts";
import type { OAuthEndpoint } from "../http/router.ts";
import { endpointPaths } from "../metadata.ts";
import type { AuthorizationRequest } from "../read-authorization-request.ts";
import { type AuthorizationGrant, createAuthorizationGrant } from "../tokens/authorization-grant.ts";
import { UserConsent } from "../user-consent.ts";
import { IdentityProvider } from "./identity-provider.ts";
import type { Admission, OAuthProxyOptions, UpstreamLogin } from "./options.ts";
import { assertCarriable, type LoginRequest, PendingLogins } from "./pending-logins.ts";
import type { ProxyIssuer } from "./proxy-issuer.ts";

export const callbackPath = "/callback";

/** The endpoints of a login: consent, the redirect to the identity provider, and its callback. */
export function loginEndpoints(issuer: ProxyIssuer): {
  authorize: OAuthEndpoint;
  consent: OAuthEndpoint;
  callback: OAuthEndpoint;
} {
  const { url, keys, options } = issuer;
  const consent = new UserConsent<AuthorizationRequest>({ issuer: url, keys, path: endpointPaths.consent });
  const logins = new PendingLogins(issuer);
  const upstream = new IdentityProvider(options, url + callbackPath);
  const ask = async (request: AuthorizationRequest, http: Request): Promise<Response> => {
    if (request.prompt.includes("none"))
      throw new OAuthError("consent_required", "The user's consent is required.");
    assertCarriable(request);
    return consent.ask(http, request, toNextStep(options.upstream));
  };
  const onDecision = async (http: Request): Promise<Response> => {
    const { request, isAllowed, clearCookie } = await consent.readDecision(http);
    const answer = withRedirectedErrors(url, request, async () => {
      if (!isAllowed) throw new OAuthError("access_denied", "The user denied the request.");
      const { login, cookies } = await logins.begin(http, request);
      return withCookies(redirectResponse(await upstream.toLoginUrl(login)), cookies);
    });
    return withCookies(await answer, [clearCookie]);
  };
  const onCallback = (http: Request): Promise<Response> =>
    logins.end(http, (login, cookie) =>
      withRedirectedErrors(url, login.request, async () => {
        const { search } = new URL(http.url);
        const upstreamLogin = await upstream.readLogin(new URL(url + callbackPath + search), login);
        const target = await toCodeUrl(issuer, login.request, upstreamLogin);
        await logins.markEnded(login);
        return withCookies(redirectResponse(target), [cookie]);
      }),
    );
  return {
    authorize: authorizationEndpoint({
      ...issuer,
      issuer: url,
      decide: ask,
      sendBack: redirectAfterConfirmation,
    }),
    consent: { POST: (http) => withErrorPage(() => onDecision(http)) },
    callback: { GET: (http) => withErrorPage(() => onCallback(http)) },
  };
}

/** The URL that brings the client its authorization code, for a user who has logged in at the identity provider. */
async function toCodeUrl(
  issuer: ProxyIssuer,
  request: LoginRequest,
  login: Omit<UpstreamLogin, "clientId">,
): Promise<string> {
  const grant = await admit(issuer, request, { ...login, clientId: request.clientId });
  return createCodeUrl({ ...issuer, issuer: issuer.url }, request, grant);
}

async function admit(
  issuer: ProxyIssuer,
  request: LoginRequest,
  login: UpstreamLogin,
): Promise<AuthorizationGrant> {
  const { options, loginMs, audiences } = issuer;
  const admitted = await options.admit(login);
  if (admitted === false) throw new OAuthError("access_denied", "This user has no access.");
  const { subject = login.subject, claims = {}, scopes }: Admission = admitted === true ? {} : admitted;
  return createAuthorizationGrant({
    clientId: login.clientId,
    subject,
    claims,
    scopes: scopes ? request.scopes.filter((scope) => scopes.includes(scope)) : request.scopes,
    resources: request.resources.length > 0 ? request.resources : [audiences.fallback],
    refreshMs: loginMs,
  });
}

function toNextStep({ issuer, scopes = [] }: OAuthProxyOptions["upstream"]): Html {
  const requested = ["openid", ...scopes].join(", ");
  return html`<p>Next, you log in at <strong>${new URL(issuer).host}</strong> (${requested}).
Its data stays here; the client gets a token for this service only.</p>`;
}
