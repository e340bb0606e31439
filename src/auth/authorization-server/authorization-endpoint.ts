import { OverloadedError } from "../../errors.ts";
import { html, toHtmlPage } from "../../lib/text/html.ts";
import type { ClientStore } from "./clients/client-store.ts";
import {
  invalidRequestError,
  OAuthError,
  temporarilyUnavailable,
  toErrorDescription,
} from "./http/oauth-error.ts";
import { RequestParameters, readForm } from "./http/request-parameters.ts";
import { htmlResponse, redirectResponse } from "./http/response.ts";
import { type OAuthEndpoint, reportUnavailable } from "./http/router.ts";
import {
  type AuthorizationRequest,
  type AuthorizationRules,
  type RedirectTarget,
  readAuthorizationRequest,
  readRedirectTarget,
  toAuthorizationResponseUrl,
} from "./read-authorization-request.ts";
import type { AuthorizationGrant } from "./tokens/authorization-grant.ts";
import type { GrantStore } from "./tokens/grant-store.ts";

export interface AuthorizationEndpointOptions extends AuthorizationRules {
  readonly issuer: string;
  /** Answers a valid request: with a page, or with a redirect. */
  readonly decide: (request: AuthorizationRequest, http: Request) => Promise<Response>;
  /** Sends an error to the client before its user has consented. Default: an immediate redirect. */
  readonly sendBack?: (to: string) => Response;
}

/** Limits what is stored while the user decides. */
const maxRequestLength = 8192;

/** The authorization endpoint (RFC 6749, section 3.1). */
export function authorizationEndpoint(options: AuthorizationEndpointOptions): OAuthEndpoint {
  const answer = async (parameters: RequestParameters, http: Request): Promise<Response> => {
    const { client, target } = await readRedirectTarget(parameters, options.clients, http);
    const decide = () => options.decide(readAuthorizationRequest(parameters, client, target, options), http);
    return withRedirectedErrors(options.issuer, target, decide, options.sendBack);
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

/** Redirects errors to the client, once its redirect URI is known to be registered. */
export async function withRedirectedErrors(
  issuer: string,
  target: RedirectTarget,
  answer: () => Promise<Response>,
  sendBack: (to: string) => Response = redirectResponse,
): Promise<Response> {
  try {
    return await answer();
  } catch (thrown) {
    if (thrown instanceof OverloadedError) reportUnavailable(thrown);
    const error = thrown instanceof OverloadedError ? temporarilyUnavailable() : thrown;
    if (!(error instanceof OAuthError)) throw error;
    const parameters = { error: error.error, error_description: toErrorDescription(error.message) };
    return sendBack(toAuthorizationResponseUrl(target, issuer, parameters));
  }
}

/**
 * Redirects to another site, or to a program by its URI scheme, only when the user clicks, and to a program that
 * listens on this device at once.
 *
 * Where anybody can register, a deliberately invalid request would otherwise make the endpoint an
 * open redirector (RFC 9700, section 4.11.2), which can also start programs.
 */
export function redirectAfterConfirmation(to: string): Response {
  const { protocol, host } = new URL(to);
  if (protocol === "http:") return redirectResponse(to);
  const link = html`<a href="${to}" rel="noreferrer">Go back to ${host || protocol}</a>`;
  return htmlResponse(
    toHtmlPage("Request failed", html`<p>The client sent an invalid request.</p>${link}`),
    400,
  );
}

/** Shows errors to the user, without a redirect. */
export async function withErrorPage(answer: () => Promise<Response>): Promise<Response> {
  try {
    return await answer();
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    const { message, error: name } = error;
    const status = error.status === 401 ? 400 : error.status;
    return htmlResponse(
      toHtmlPage("Request failed", html`<p>${message}</p><p><code>${name}</code></p>`),
      status,
    );
  }
}

export interface CodeIssuer {
  readonly issuer: string;
  readonly grants: GrantStore;
  readonly clients: ClientStore;
}

/** The redirect URL that brings a new authorization code to the client. */
export async function createCodeUrl(
  { issuer, grants, clients }: CodeIssuer,
  request: Omit<AuthorizationRequest, "client">,
  grant: AuthorizationGrant,
): Promise<string> {
  // First, so that a failure leaves no code behind that nobody gets.
  await clients.extendRegistration(grant.clientId);
  const { redirectUri, namedRedirectUri, codeChallenge, thumbprint } = request;
  const code = await grants.createCode({
    grant,
    redirectUri,
    namedRedirectUri,
    codeChallenge,
    ...(thumbprint !== undefined && { thumbprint }),
  });
  return toAuthorizationResponseUrl(request, issuer, { code });
}
