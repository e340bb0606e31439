import {
  AuthorizationResponseError,
  authorizationCodeGrantRequest,
  processAuthorizationCodeResponse,
  validateAuthResponse,
} from "oauth4webapi";
import { AuthorizationError } from "../../../errors.ts";
import { orAborted } from "../../../lib/async/abort.ts";
import { toAsciiLine } from "../../ascii-line.ts";
import { createAuthorizationSecrets, toAuthorizationUrl } from "../../authorization-url.ts";
import type { Grant, GrantRequest, GrantResult } from "../grant.ts";
import type { Login, OpenLogin } from "../login.ts";
import type { TokenEndpoint } from "../tokens/token-endpoint.ts";
import { assertBrowserUrl } from "./browser-url.ts";

export interface AuthorizationCodeOptions {
  readonly openLogin: () => Promise<OpenLogin>;
  /** The time limit of a login. */
  readonly loginMs: number;
}

/** Sends a user to the authorization server and exchanges the code of the callback for tokens. */
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

/**
 * Refuses servers that do not announce PKCE: without it a stolen code is enough.
 *
 * basic/authorization#authorization-code-protection (2025-11-25)
 */
function assertPkce({ server, context }: GrantRequest): void {
  if (server.code_challenge_methods_supported?.includes("S256")) return;
  context.trace.add("authorization", "refused", { detail: "no PKCE with S256" });
  throw new AuthorizationError(
    `${toAsciiLine(server.issuer)} does not announce PKCE with S256 in its metadata, so a login there is not safe.`,
    "metadata",
  );
}

async function exchange(
  request: GrantRequest,
  endpoint: TokenEndpoint,
  login: Login,
  { loginMs }: AuthorizationCodeOptions,
): ReturnType<TokenEndpoint["request"]> {
  const { server, resource, scopes, context, policy } = request;
  const { redirectUri } = login;
  const secrets = createAuthorizationSecrets();
  const url = await toAuthorizationUrl(
    assertBrowserUrl(server.authorization_endpoint ?? "", policy),
    secrets,
    {
      client_id: endpoint.identity.id,
      redirect_uri: redirectUri,
      // basic/authorization#resource-parameter-implementation (2025-11-25)
      resource,
      ...(scopes && { scope: scopes.join(" ") }),
      // Some servers issue a refresh token only after a new consent.
      ...(scopes?.includes("offline_access") && { prompt: "consent" }),
    },
  );
  context.trace.add("authorization", "ok", { url, detail: `scopes ${scopes?.join(" ") ?? "by default"}` });
  request.beforeLogin();
  const timeout = AbortSignal.timeout(loginMs);
  const signal = AbortSignal.any([context.signal, timeout]);
  const callback = await sendUser(login, url, signal);
  const answer = readCallback(callback, secrets.state, request, endpoint);
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
        secrets.verifier,
        call.options,
      ),
    ),
  );
}

async function sendUser(login: Login, url: URL, signal: AbortSignal): Promise<URL> {
  try {
    // A host that ignores the signal must not keep the callers, and the lock of the store, for ever.
    const callback = await orAborted(Promise.resolve(login.authorize(url, signal)), signal);
    return new URL(callback, login.redirectUri);
  } catch (error) {
    if (error instanceof AuthorizationError) throw error;
    const why = signal.aborted
      ? "the login was cancelled, or took too long"
      : "the login callback of the host failed";
    throw new AuthorizationError(`The user did not log in: ${why}.`, "login", { cause: error });
  }
}

/** Reads the callback after it is checked that it belongs to this request and this authorization server. */
function readCallback(
  callback: URL,
  state: string,
  { server, context }: GrantRequest,
  endpoint: TokenEndpoint,
): URLSearchParams {
  const url = `${callback.origin}${callback.pathname}`;
  try {
    // RFC 9207, also where the server does not announce it: a named issuer must be the requested one.
    // basic/authorization#authorization-response-validation (2026-07-28)
    if (callback.searchParams.getAll("iss").some((issuer) => issuer !== server.issuer))
      throw new Error("it names another issuer");
    const answer = validateAuthResponse(server, endpoint.client, callback, state);
    context.trace.add("callback", "ok", { url });
    return answer;
  } catch (error) {
    // The text of a callback that is not ours is not shown: an attacker may have written it.
    const isRefusal = error instanceof AuthorizationResponseError;
    const detail = toAsciiLine(
      isRefusal ? error.error : error instanceof Error ? error.message : String(error),
    );
    context.trace.add("callback", "refused", { url, detail });
    throw new AuthorizationError(
      isRefusal
        ? `The login was refused: ${detail}.`
        : `The callback does not belong to this login: ${detail}.`,
      "login",
    );
  }
}
