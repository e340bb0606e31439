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
}

/** What is kept while the user decides must be bounded. */
const maxRequestLength = 8192;

/** Where clients send users to (RFC 6749, 3.1). */
export function authorizeRoute(options: AuthorizeOptions): Route {
  const answer = async (parameters: Parameters, http: Request): Promise<Response> => {
    const { client, address } = await readReturnAddress(parameters, options.clients);
    return answerClient(options.issuer, address, () =>
      options.decide(readAuthorizationRequest(parameters, client, address, options), http),
    );
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
): Promise<Response> {
  try {
    return await answer();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const told = { error: error.error, error_description: toDescription(error.message) };
    return redirect(toAnswerUrl(address, issuer, told));
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
