import { page, redirect } from "./answer.ts";
import {
  type AuthorizationRequest,
  type RequestRules,
  type ReturnAddress,
  readAuthorizationRequest,
  readReturnAddress,
  toAnswerUrl,
} from "./authorization-request.ts";
import type { Clients } from "./clients.ts";
import type { Grant } from "./grant.ts";
import type { GrantBook } from "./grant-book.ts";
import { html, toPage } from "./html.ts";
import { Parameters, readForm } from "./parameters.ts";
import { invalidRequest, Refusal } from "./refusal.ts";
import { type Route, toDescription } from "./router.ts";

export interface AuthorizeOptions extends RequestRules {
  readonly issuer: string;
  /** What becomes of a request that is right in itself. */
  readonly decide: (request: AuthorizationRequest, http: Request) => Promise<Response>;
  /** How a client is told what is wrong before its user was asked. Default: at once. */
  readonly sendBack?: (to: string) => Response;
}

/** What is kept while the user decides must be bounded. */
const maxRequestLength = 8192;

/** Where clients send users to (RFC 6749, 3.1). */
export function authorizeRoute(options: AuthorizeOptions): Route {
  const answer = async (parameters: Parameters, http: Request): Promise<Response> => {
    const { client, address } = await readReturnAddress(parameters, options.clients);
    const decide = () => options.decide(readAuthorizationRequest(parameters, client, address, options), http);
    return answerClient(options.issuer, address, decide, options.sendBack);
  };
  return {
    GET: (http) => onPage(async () => answer(readQuery(http.url), http)),
    POST: (http) => onPage(async () => answer(await readForm(http), http)),
  };
}

function readQuery(url: string): Parameters {
  if (url.length > maxRequestLength) throw invalidRequest("The request is too long.");
  return new Parameters(new URL(url).searchParams);
}

/** What goes wrong once the address is known to be the client's is told to the client. */
export async function answerClient(
  issuer: string,
  address: ReturnAddress,
  answer: () => Promise<Response>,
  sendBack: (to: string) => Response = redirect,
): Promise<Response> {
  try {
    return await answer();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const told = { error: error.error, error_description: toDescription(error.message) };
    return sendBack(toAnswerUrl(address, issuer, told));
  }
}

/**
 * Leads to another site only by the user's own hand, and to a program on this device at once.
 *
 * Where anybody can register, a request that is wrong on purpose would else send whoever
 * follows a link of ours to any site (RFC 9700, 4.11.2).
 */
export function sendBackByHand(to: string): Response {
  const { protocol, host } = new URL(to);
  if (protocol !== "https:") return redirect(to);
  const link = html`<a href="${to}" rel="noreferrer">Go back to ${host}</a>`;
  return page(
    toPage("This can't go on", html`<p>The client asked for what is not given here.</p>${link}`),
    400,
  );
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

export interface CodeIssuer {
  readonly issuer: string;
  readonly grants: GrantBook;
  readonly clients: Clients;
}

/** Where a client gets a code for what it was granted. */
export async function createCodeUrl(
  { issuer, grants, clients }: CodeIssuer,
  request: AuthorizationRequest,
  grant: Grant,
): Promise<string> {
  const { redirectUri, namedRedirectUri, challenge, thumbprint } = request;
  const code = await grants.createCode({
    grant,
    redirectUri,
    namedRedirectUri,
    challenge,
    ...(thumbprint !== undefined && { thumbprint }),
  });
  await clients.keep(grant.clientId);
  return toAnswerUrl(request, issuer, { code });
}
