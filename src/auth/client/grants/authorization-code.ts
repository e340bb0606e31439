import {
  AuthorizationResponseError,
  authorizationCodeGrantRequest,
  calculatePKCECodeChallenge,
  generateRandomCodeVerifier,
  generateRandomState,
  processAuthorizationCodeResponse,
  validateAuthResponse,
} from "oauth4webapi";
import { AuthorizationError } from "../../../errors.ts";
import { toPrintable } from "../../printable.ts";
import type { Grant, GrantRequest, GrantResult } from "../grant.ts";
import type { Login, OpenLogin } from "../login.ts";
import type { TokenEndpoint } from "../tokens/token-endpoint.ts";
import { toAuthorizationUrl } from "./authorization-url.ts";

export interface AuthorizationCodeOptions {
  readonly openLogin: () => Promise<OpenLogin>;
  /** How long a user may take. */
  readonly loginMs: number;
}

/** Sends a user to the authorization server, and exchanges the code that they bring back. */
export function authorizationCode(options: AuthorizationCodeOptions): Grant {
  return {
    types: ["authorization_code", "refresh_token"],
    wantsRefresh: true,
    async obtain(request): Promise<GrantResult> {
      assertPkce(request);
      const open = await options.openLogin();
      const login = await open({ redirectUris: await request.redirectUris() });
      try {
        const identity = await request.identify({ redirectUri: login.redirectUri });
        const endpoint = request.tokenEndpoint(identity);
        return { identity, tokens: await exchange(request, endpoint, login, options) };
      } finally {
        await login.close?.();
      }
    },
  };
}

/** A server that does not say that it checks the proof may not do it, and then a stolen code is enough. */
function assertPkce({ server, context: discovery }: GrantRequest): void {
  if (server.code_challenge_methods_supported?.includes("S256")) return;
  discovery.trace.add("authorization", "refused", { detail: "no PKCE with S256" });
  throw new AuthorizationError(
    `${toPrintable(server.issuer)} does not say that it supports PKCE with S256, so logging in there is not safe.`,
    "metadata",
  );
}

async function exchange(
  request: GrantRequest,
  endpoint: TokenEndpoint,
  login: Login,
  { loginMs }: AuthorizationCodeOptions,
): ReturnType<TokenEndpoint["request"]> {
  const { server, resource, scopes, context: discovery, policy } = request;
  const { redirectUri } = login;
  const verifier = generateRandomCodeVerifier();
  const state = generateRandomState();
  const url = toAuthorizationUrl(
    server.authorization_endpoint ?? "",
    {
      clientId: endpoint.identity.id,
      redirectUri,
      codeChallenge: await calculatePKCECodeChallenge(verifier),
      state,
      resource,
      scopes,
    },
    policy,
  );
  discovery.trace.add("authorization", "ok", { url, detail: `scopes ${scopes?.join(" ") ?? "by default"}` });
  const late = AbortSignal.timeout(loginMs);
  const signal = AbortSignal.any([discovery.signal, late]);
  const back = await sendUser(login, url, signal);
  const answer = readAnswer(back, state, request, endpoint);
  return endpoint.request("token", { resource }, async (call) =>
    processAuthorizationCodeResponse(
      call.server,
      call.client,
      await authorizationCodeGrantRequest(
        call.server,
        call.client,
        call.authentication,
        answer,
        redirectUri,
        verifier,
        call.options,
      ),
    ),
  );
}

async function sendUser(login: Login, url: URL, signal: AbortSignal): Promise<URL> {
  try {
    const back = await login.authorize(url, signal);
    return new URL(back, login.redirectUri);
  } catch (error) {
    if (error instanceof AuthorizationError) throw error;
    const why = signal.aborted
      ? "it was given up, or took too long"
      : "what should bring the user back failed";
    throw new AuthorizationError(`Nobody logged in: ${why}.`, "login", { cause: error });
  }
}

/** The answer, once it is certain that it is the one to this question, and from this authorization server. */
function readAnswer(
  back: URL,
  state: string,
  { server, context: discovery }: GrantRequest,
  endpoint: TokenEndpoint,
): URLSearchParams {
  const url = `${back.origin}${back.pathname}`;
  try {
    // Whether it is announced or not: an issuer that is named must be the one that was asked.
    if (back.searchParams.getAll("iss").some((issuer) => issuer !== server.issuer))
      throw new Error("it names another issuer");
    const answer = validateAuthResponse(server, endpoint.client, back, state);
    discovery.trace.add("callback", "ok", { url });
    return answer;
  } catch (error) {
    // Only an answer that is meant for us may speak: what others say is not even shown.
    const isOurs = error instanceof AuthorizationResponseError;
    const detail = toPrintable(isOurs ? error.error : error instanceof Error ? error.message : String(error));
    discovery.trace.add("callback", "refused", { url, detail });
    throw new AuthorizationError(
      isOurs
        ? `The login was refused: ${detail}.`
        : `What came back from the login is not for us: ${detail}.`,
      "login",
    );
  }
}
