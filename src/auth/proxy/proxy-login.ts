import { redirect } from "../issuer/answer.ts";
import type { AuthorizationRequest } from "../issuer/authorization-request.ts";
import {
  answerClient,
  authorizeRoute,
  createCodeUrl,
  onPage,
  sendBackByHand,
} from "../issuer/authorize-endpoint.ts";
import { Consent } from "../issuer/consent.ts";
import { createGrant, type Grant } from "../issuer/grant.ts";
import { type Html, html } from "../issuer/html.ts";
import { paths } from "../issuer/metadata.ts";
import { Refusal } from "../issuer/refusal.ts";
import type { Route } from "../issuer/router.ts";
import { PendingLogins } from "./pending-logins.ts";
import type { ProxyIssuer } from "./proxy-issuer.ts";
import type { Admission, OAuthProxyOptions, UpstreamLogin } from "./proxy-options.ts";
import { Upstream } from "./upstream.ts";

export const callbackPath = "/callback";

/** The way of a user: the question, the identity provider, and back to the client. */
export function loginRoutes(issuer: ProxyIssuer): { authorize: Route; consent: Route; callback: Route } {
  const { url, values, options } = issuer;
  const consent = new Consent<AuthorizationRequest>({ issuer: url, values, path: paths.consent });
  const logins = new PendingLogins(url, values);
  const upstream = new Upstream(options, url + callbackPath);
  const ask = async (request: AuthorizationRequest): Promise<Response> => {
    if (request.prompt.includes("none")) throw new Refusal("consent_required", "The user must be asked.");
    return consent.ask(request, toNextStep(options.upstream));
  };
  const onAnswer = async (http: Request): Promise<Response> => {
    const { wish: request, isAllowed } = await consent.readAnswer(http);
    return answerClient(url, request, async () => {
      if (!isAllowed) throw new Refusal("access_denied", "The user said no.");
      const { login, cookie } = await logins.begin(request);
      return redirect(await upstream.toLoginUrl(login), [cookie]);
    });
  };
  const onCallback = async (http: Request): Promise<Response> => {
    const { login, cookie } = await logins.end(http);
    return answerClient(url, login.request, async () => {
      const { search } = new URL(http.url);
      const found = await upstream.readLogin(new URL(url + callbackPath + search), login);
      const grant = await admit(issuer, login.request, {
        ...found,
        clientId: login.request.client.client_id,
      });
      return redirect(await createCodeUrl({ ...issuer, issuer: url }, login.request, grant), [cookie]);
    });
  };
  return {
    authorize: authorizeRoute({ ...issuer, issuer: url, decide: ask, sendBack: sendBackByHand }),
    consent: { POST: (http) => onPage(() => onAnswer(http)) },
    callback: { GET: (http) => onPage(() => onCallback(http)) },
  };
}

async function admit(
  issuer: ProxyIssuer,
  request: AuthorizationRequest,
  login: UpstreamLogin,
): Promise<Grant> {
  const { options, loginMs, audiences } = issuer;
  const admitted = await options.admit(login);
  if (admitted === false) throw new Refusal("access_denied", "This user may not come in.");
  const { subject = login.subject, claims = {}, scopes }: Admission = admitted === true ? {} : admitted;
  return createGrant({
    clientId: login.clientId,
    subject,
    claims,
    scopes: scopes ? request.scopes.filter((scope) => scopes.includes(scope)) : request.scopes,
    resources: request.resources.length > 0 ? request.resources : [audiences.fallback],
    refreshMs: loginMs,
  });
}

function toNextStep({ issuer, scopes = [] }: OAuthProxyOptions["upstream"]): Html {
  const asked = ["openid", ...scopes].join(", ");
  return html`<p>Next, <strong>${new URL(issuer).host}</strong> says who you are (${asked}).
What it says stays here; the client gets a token for this service alone.</p>`;
}
