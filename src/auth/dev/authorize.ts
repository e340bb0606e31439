import { redirect } from "../issuer/answer.ts";
import type { AuthorizationRequest } from "../issuer/authorization-request.ts";
import { answerClient, authorizeRoute, createCodeUrl, onPage } from "../issuer/authorize-endpoint.ts";
import { Consent } from "../issuer/consent.ts";
import { type Html, html } from "../issuer/html.ts";
import { paths } from "../issuer/metadata.ts";
import { Refusal } from "../issuer/refusal.ts";
import type { Route } from "../issuer/router.ts";
import { type DevIssuer, findAutoApprover } from "./dev-issuer.ts";
import type { DevUser } from "./dev-options.ts";
import { findUser, toUserGrant } from "./user-grant.ts";

/** Where users decide: the authorization endpoint, and the form of its page. */
export function authorizeRoutes(issuer: DevIssuer): { authorize: Route; consent: Route } {
  const { url, values } = issuer;
  const consent = new Consent<AuthorizationRequest>({ issuer: url, values, path: paths.consent });
  const decide = async (request: AuthorizationRequest, http: Request): Promise<Response> => {
    // A page of another site that sends the browser here must not get a token without a word.
    const isOfSite = http.headers.get("sec-fetch-site") === "cross-site";
    const approver = isOfSite ? undefined : findApprover(issuer, request);
    if (approver) return sendCode(issuer, request, approver);
    if (request.prompt.includes("none")) throw new Refusal("consent_required", "The user must be asked.");
    return consent.ask(request, toUserChoice(issuer.users));
  };
  const onAnswer = async (http: Request): Promise<Response> => {
    const { wish: request, isAllowed, form } = await consent.readAnswer(http);
    return answerClient(url, request, async () => {
      if (!isAllowed) throw new Refusal("access_denied", "The user said no.");
      return sendCode(issuer, request, findUser(issuer, form.require("user")));
    });
  };
  return {
    authorize: authorizeRoute({ ...issuer, issuer: url, decide }),
    consent: { POST: (http) => onPage(() => onAnswer(http)) },
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
  return redirect(await createCodeUrl({ ...issuer, issuer: issuer.url }, request, grant));
}

export function toUserChoice(users: readonly DevUser[]): Html {
  const options = users.map(
    ({ subject, name }) => html`<option value="${subject}">${name ?? subject}</option>`,
  );
  return html`<p><label>as <select name="user">${options}</select></label></p>`;
}
