import {
  type AuthorizationRequest,
  type AuthorizationRules,
  type RedirectTarget,
  readAuthorizationRequest,
  readRedirectTarget,
  toAuthorizationResponseUrl,
} from "./authorization-request.ts";
import type { ClientStore } from "./clients/client-store.ts";
import { html, toHtmlPage } from "./http/html.ts";
import { invalidRequestError, OAuthError, toErrorDescription } from "./http/oauth-error.ts";
import { RequestParameters, readForm } from "./http/request-parameters.ts";
import { htmlResponse, redirectResponse } from "./http/response.ts";
import type { OAuthEndpoint } from "./http/router.ts";
import type { AuthorizationGrant } from "./tokens/authorization-grant.ts";
import type { GrantStore } from "./tokens/grant-store.ts";

export interface AuthorizationEndpointOptions extends AuthorizationRules {
  readonly issuer: string;
  /** What becomes of a request that is right in itself. */
  readonly decide: (request: AuthorizationRequest, http: Request) => Promise<Response>;
  /** How a client is told what is wrong before its user was asked. Default: at once. */
  readonly sendBack?: (to: string) => Response;
}

/** What is kept while the user decides must be bounded. */
const maxRequestLength = 8192;

/** Where clients send users to (RFC 6749, 3.1). */
export function authorizationEndpoint(options: AuthorizationEndpointOptions): OAuthEndpoint {
  const answer = async (parameters: RequestParameters, http: Request): Promise<Response> => {
    const { client, address } = await readRedirectTarget(parameters, options.clients);
    const decide = () => options.decide(readAuthorizationRequest(parameters, client, address, options), http);
    return withRedirectedErrors(options.issuer, address, decide, options.sendBack);
  };
  return {
    GET: (http) => withErrorPage(async () => answer(readQuery(http.url), http)),
    POST: (http) => withErrorPage(async () => answer(await readForm(http), http)),
  };
}

function readQuery(url: string): RequestParameters {
  if (url.length > maxRequestLength) throw invalidRequestError("The request is too long.");
  return new RequestParameters(new URL(url).searchParams);
}

/** What goes wrong once the address is known to be the client's is told to the client. */
export async function withRedirectedErrors(
  issuer: string,
  address: RedirectTarget,
  answer: () => Promise<Response>,
  sendBack: (to: string) => Response = redirectResponse,
): Promise<Response> {
  try {
    return await answer();
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    const told = { error: error.error, error_description: toErrorDescription(error.message) };
    return sendBack(toAuthorizationResponseUrl(address, issuer, told));
  }
}

/**
 * Leads to another site only by the user's own hand, and to a program on this device at once.
 *
 * Where anybody can register, a request that is wrong on purpose would else send whoever
 * follows a link of ours to any site (RFC 9700, 4.11.2).
 */
export function redirectAfterConfirmation(to: string): Response {
  const { protocol, host } = new URL(to);
  if (protocol !== "https:") return redirectResponse(to);
  const link = html`<a href="${to}" rel="noreferrer">Go back to ${host}</a>`;
  return htmlResponse(
    toHtmlPage("This can't go on", html`<p>The client asked for what is not given here.</p>${link}`),
    400,
  );
}

/** What goes wrong before is for the user to read, who is sent nowhere. */
export async function withErrorPage(answer: () => Promise<Response>): Promise<Response> {
  try {
    return await answer();
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    const { message, error: name } = error;
    const status = error.status === 401 ? 400 : error.status;
    return htmlResponse(
      toHtmlPage("This can't go on", html`<p>${message}</p><p><code>${name}</code></p>`),
      status,
    );
  }
}

export interface CodeIssuer {
  readonly issuer: string;
  readonly grants: GrantStore;
  readonly clients: ClientStore;
}

/** Where a client gets a code for what it was granted. */
export async function createCodeUrl(
  { issuer, grants, clients }: CodeIssuer,
  request: AuthorizationRequest,
  grant: AuthorizationGrant,
): Promise<string> {
  const { redirectUri, namedRedirectUri, codeChallenge: challenge, thumbprint } = request;
  const code = await grants.createCode({
    grant,
    redirectUri,
    namedRedirectUri,
    codeChallenge: challenge,
    ...(thumbprint !== undefined && { thumbprint }),
  });
  await clients.extendRegistration(grant.clientId);
  return toAuthorizationResponseUrl(request, issuer, { code });
}
