import { page, redirect } from "../issuer/answer.ts";
import {
  type AuthorizationRequest,
  type ReturnAddress,
  readAuthorizationRequest,
  readReturnAddress,
  toAnswerUrl,
} from "../issuer/authorization-request.ts";
import { Consent } from "../issuer/consent.ts";
import { type Html, html, toPage } from "../issuer/html.ts";
import { paths } from "../issuer/metadata.ts";
import { Parameters, readForm } from "../issuer/parameters.ts";
import { Refusal } from "../issuer/refusal.ts";
import { type Route, toDescription } from "../issuer/router.ts";
import { type DevIssuer, findAutoApprover } from "./dev-issuer.ts";
import type { DevUser } from "./dev-options.ts";
import { findUser, toUserGrant } from "./user-grant.ts";

/** Where users decide: the authorization endpoint, and the form of its page. */
export function authorizeRoutes(issuer: DevIssuer): { authorize: Route; consent: Route } {
  const consent = new Consent<AuthorizationRequest>({
    issuer: issuer.url,
    values: issuer.values,
    path: paths.consent,
  });
  const onRequest = async (query: Parameters): Promise<Response> => {
    const { client, address } = await readReturnAddress(query, issuer.clients);
    return answerClient(issuer, address, async () => {
      const request = readAuthorizationRequest(query, client, address, issuer);
      const approver = findApprover(issuer, request);
      if (approver) return sendCode(issuer, request, approver);
      if (request.prompt.includes("none")) throw new Refusal("consent_required", "The user must be asked.");
      return consent.ask(request, toUserChoice(issuer.users));
    });
  };
  const onAnswer = async (http: Request): Promise<Response> => {
    const { wish: request, isAllowed, form } = await consent.readAnswer(http);
    return answerClient(issuer, request, async () => {
      if (!isAllowed) throw new Refusal("access_denied", "The user said no.");
      return sendCode(issuer, request, findUser(issuer, form.require("user")));
    });
  };
  return {
    authorize: {
      GET: (http) => onPage(() => onRequest(new Parameters(new URL(http.url).searchParams))),
      POST: (http) => onPage(async () => onRequest(await readForm(http))),
    },
    consent: { POST: (http) => onPage(() => onAnswer(http)) },
  };
}

/** Where everything is approved, a client may still choose the user by a hint, or ask for the page. */
function findApprover(issuer: DevIssuer, { prompt, loginHint }: AuthorizationRequest): DevUser | undefined {
  const approver = prompt.includes("consent") ? undefined : findAutoApprover(issuer);
  const hinted = issuer.users.find(({ subject, email }) => [subject, email].includes(loginHint ?? ""));
  return approver && (hinted ?? approver);
}

async function sendCode(issuer: DevIssuer, request: AuthorizationRequest, user: DevUser): Promise<Response> {
  const { redirectUri, namedRedirectUri, challenge, thumbprint } = request;
  const code = await issuer.grants.createCode({
    grant: toUserGrant(issuer, user, { ...request, clientId: request.client.client_id }),
    redirectUri,
    namedRedirectUri,
    challenge,
    ...(thumbprint !== undefined && { thumbprint }),
  });
  return redirect(toAnswerUrl(request, issuer.url, { code }));
}

/** What goes wrong once the address is known to be the client's is told to the client. */
async function answerClient(
  issuer: DevIssuer,
  address: ReturnAddress,
  answer: () => Promise<Response>,
): Promise<Response> {
  try {
    return await answer();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const told = { error: error.error, error_description: toDescription(error.message) };
    return redirect(toAnswerUrl(address, issuer.url, told));
  }
}

/** What goes wrong before is for the user to read, who is sent nowhere. */
export async function onPage(answer: () => Promise<Response>): Promise<Response> {
  try {
    return await answer();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { message, error: name } = error;
    const status = error.status === 401 ? 400 : error.status;
    return page(toPage("This can't go on", html`<p>${message}</p><p><code>${name}</code></p>`), status);
  }
}

export function toUserChoice(users: readonly DevUser[]): Html {
  const options = users.map(
    ({ subject, name }) => html`<option value="${subject}">${name ?? subject}</option>`,
  );
  return html`<p><label>as <select name="user">${options}</select></label></p>`;
}
