import {
  allowInsecureRequests,
  customFetch,
  type DeviceAuthorizationResponse,
  deviceAuthorizationRequest,
  deviceCodeGrantRequest,
  processDeviceAuthorizationResponse,
  processDeviceCodeResponse,
  type TokenEndpointResponse,
} from "oauth4webapi";
import { AuthorizationError } from "../../../errors.ts";
import { sleep } from "../../../lib/async/sleep.ts";
import { toAsciiLine } from "../../ascii-line.ts";
import { type Grant, type GrantRequest, tokenParameters } from "../grant.ts";
import { toClientAuthentication } from "../identity/client-authentication.ts";
import type { OAuthClientInformation } from "../identity/client-information.ts";
import { TokenRequestError } from "../tokens/token-endpoint.ts";
import { assertBrowserUrl } from "./browser-url.ts";

/** The code and the URL that the user needs on another device. */
export interface DeviceCode {
  /** The code that the user types there. */
  readonly userCode: string;
  /** The page to open; https, or http on this machine. */
  readonly url: string;
  /** The same page with the code in the URL, where the server offers it. */
  readonly completeUrl?: string | undefined;
  readonly expiresInSeconds: number;
}

export interface DeviceCodeOptions {
  /** Shows the code and the URL to the user. */
  readonly show: (code: DeviceCode) => unknown;
}

const grantType = "urn:ietf:params:oauth:grant-type:device_code";
const defaultIntervalSeconds = 5;
const slowDownSeconds = 5;
/** Nobody logs in later, and the lock of the store is held meanwhile. */
const longestSeconds = 3_600;

/** Obtains tokens on machines without a browser: the user logs in on another device, with a code (RFC 8628). */
export function deviceCode(options: DeviceCodeOptions): Grant {
  return {
    types: [grantType, "refresh_token"],
    wantsRefresh: true,
    async obtain(request) {
      const { server, policy } = request;
      if (server.device_authorization_endpoint === undefined)
        throw new AuthorizationError(
          `${toAsciiLine(server.issuer)} has no device authorization endpoint.`,
          "metadata",
        );
      const identity = await request.identify();
      request.beforeLogin();
      const code = await requestDeviceCode(request, identity);
      await options.show({
        userCode: toAsciiLine(code.user_code),
        url: assertBrowserUrl(code.verification_uri, policy).href,
        ...(code.verification_uri_complete !== undefined && {
          completeUrl: assertBrowserUrl(code.verification_uri_complete, policy).href,
        }),
        expiresInSeconds: lifetimeSeconds(code),
      });
      return { identity, tokens: await poll(request, identity, code) };
    },
  };
}

async function requestDeviceCode(
  request: GrantRequest,
  identity: OAuthClientInformation,
): Promise<DeviceAuthorizationResponse> {
  const { server, context } = request;
  const client = { client_id: identity.id };
  const url = server.device_authorization_endpoint ?? "";
  try {
    const response = await deviceAuthorizationRequest(
      server,
      client,
      await toClientAuthentication(identity, server),
      tokenParameters(request),
      {
        [customFetch]: (address, init) => context.fetch(address, init as RequestInit),
        [allowInsecureRequests]: true,
      },
    );
    const code = await processDeviceAuthorizationResponse(server, client, response);
    context.trace.add("device-code", "ok", { url });
    return code;
  } catch (error) {
    const detail = toAsciiLine(error instanceof Error ? error.message : String(error));
    context.trace.add("device-code", "failed", { url, detail });
    if (error instanceof AuthorizationError) throw error;
    throw new AuthorizationError(
      `${toAsciiLine(server.issuer)} issued no device code: ${detail}.`,
      "refused",
    );
  }
}

/** Polls until the user has logged in, at the interval that the server sets. */
async function poll(
  request: GrantRequest,
  identity: OAuthClientInformation,
  code: DeviceAuthorizationResponse,
): Promise<TokenEndpointResponse> {
  const { signal } = request.context;
  const endpoint = request.tokenEndpoint(identity);
  const end = Date.now() + lifetimeSeconds(code) * 1000;
  let seconds = code.interval ?? defaultIntervalSeconds;
  while (Date.now() < end) {
    await sleep(Math.min(seconds * 1000, end - Date.now()), signal).catch(() => {
      throw new AuthorizationError("The user did not log in: the login was cancelled.", "login");
    });
    try {
      return await endpoint.request("token", { resource: request.resource }, async (call) =>
        processDeviceCodeResponse(
          call.server,
          call.client,
          await deviceCodeGrantRequest(
            call.server,
            call.client,
            call.authentication,
            code.device_code,
            call.options,
          ),
        ),
      );
    } catch (error) {
      const reason = error instanceof TokenRequestError ? error.error : (error as AuthorizationError).reason;
      if (reason === "slow_down") seconds += slowDownSeconds;
      else if (reason !== "authorization_pending" && reason !== "unreachable") throw error;
    }
  }
  throw new AuthorizationError("The user did not log in before the device code expired.", "login");
}

function lifetimeSeconds({ expires_in: seconds }: DeviceAuthorizationResponse): number {
  return Math.min(seconds, longestSeconds);
}
