import { randomToken } from "../../../lib/encoding/random-token.ts";
import { sha256 } from "../../../lib/encoding/sha256.ts";
import { html, toHtmlPage } from "../../../lib/text/html.ts";
import { withErrorPage } from "../authorization-endpoint.ts";
import { authenticateClient, type ClientAuthenticationOptions } from "../clients/client-authentication.ts";
import type { UserConsentRequest } from "../consent-page.ts";
import { invalidGrantError, OAuthError } from "../http/oauth-error.ts";
import { readForm } from "../http/request-parameters.ts";
import { htmlResponse, jsonResponse } from "../http/response.ts";
import type { OAuthEndpoint } from "../http/router.ts";
import { endpointPaths } from "../metadata.ts";
import { withoutSecret } from "../read-authorization-request.ts";
import type { GrantHandler } from "../token-endpoint.ts";
import { assertResources, toGrantedAudience } from "../tokens/audience.ts";
import { UserConsent } from "../user-consent.ts";
import { readScopes } from "./client-permissions.ts";
import type { DevIssuer } from "./dev-issuer.ts";
import { findAutoApprover, findUser, toUserChoice, toUserGrant } from "./user.ts";

export const deviceCodeGrantType: string = "urn:ietf:params:oauth:grant-type:device_code";

/** A device that polls until its user decides in a browser (RFC 8628). */
interface DeviceRequest extends UserConsentRequest {
  /** The hash of the device code. */
  readonly device: string;
}

const deviceCodeSeconds = 600;
const deviceCodeMs = deviceCodeSeconds * 1000;
// Without vowels, so that codes form no words (RFC 8628, section 6.1).
const userCodeLetters = "BCDFGHJKLMNPQRSTVWXZ";

export function deviceAuthorizationEndpoint(
  issuer: DevIssuer,
  authentication: ClientAuthenticationOptions,
): OAuthEndpoint {
  const start = async (request: Request): Promise<Response> => {
    const form = await readForm(request);
    const client = await authenticateClient(request, form, authentication);
    const resources = form.all("resource");
    assertResources(resources, issuer.audiences);
    const [code, userCode] = [randomToken(), toUserCode()];
    const device = await sha256(code);
    const scopes = readScopes(issuer, client, form);
    const pending: DeviceRequest = { client: withoutSecret(client), scopes, resources, device };
    await issuer.values.put(`device:${device}`, JSON.stringify(pending), deviceCodeMs);
    await issuer.values.put(`user-code:${userCode}`, device, deviceCodeMs);
    const approver = findAutoApprover(issuer, request);
    if (approver) await decide(issuer, device, approver.subject);
    const address = issuer.url + endpointPaths.device;
    return jsonResponse({
      device_code: code,
      user_code: `${userCode.slice(0, 4)}-${userCode.slice(4)}`,
      verification_uri: address,
      verification_uri_complete: `${address}?user_code=${userCode}`,
      expires_in: deviceCodeSeconds,
      interval: intervalSeconds(issuer),
    });
  };
  return { POST: start, allowAnyOrigin: true };
}

/** The page on which the user enters the code of the device. */
export function deviceVerificationEndpoint(issuer: DevIssuer): OAuthEndpoint {
  const { url, keys, values } = issuer;
  const consent = new UserConsent<DeviceRequest>({ issuer: url, keys, path: endpointPaths.device });
  const show = async (request: Request): Promise<Response> => {
    const typed = new URL(request.url).searchParams.get("user_code");
    if (typed === null) return htmlResponse(toHtmlPage("Connect a device", codeForm));
    const device = await values.get(`user-code:${typed.toUpperCase().replace(/[^A-Z]/g, "")}`);
    const stored = device && (await values.get(`device:${device}`));
    if (!stored) throw new OAuthError("expired_token", "The code is unknown or has expired.");
    return consent.ask(request, JSON.parse(stored) as DeviceRequest, toUserChoice(issuer.users));
  };
  const answer = async (request: Request): Promise<Response> => {
    const { request: pending, isAllowed, form, clearCookie } = await consent.readDecision(request);
    await decide(issuer, pending.device, isAllowed ? findUser(issuer, form.require("user")).subject : "");
    return htmlResponse(
      toHtmlPage("Done", html`<p>The device continues by itself. You can close this window.</p>`),
      200,
      { "set-cookie": clearCookie },
    );
  };
  return {
    GET: (request) => withErrorPage(() => show(request)),
    POST: (request) => withErrorPage(() => answer(request)),
  };
}

const codeForm = html`<form><p><label>The code that the device shows: <input name="user_code" autocomplete="off">
</label></p><button>Next</button></form>`;

/** Issues tokens to a device whose user has consented. */
export function deviceCodeGrant(issuer: DevIssuer): GrantHandler {
  const { values } = issuer;
  return async ({ client, form, thumbprint }) => {
    const device = await sha256(form.require("device_code"));
    const stored = await values.get(`device:${device}`);
    if (stored === undefined)
      throw new OAuthError("expired_token", "The device code is unknown or has expired.");
    const pending = JSON.parse(stored) as DeviceRequest;
    if (pending.client.client_id !== client.client_id)
      throw invalidGrantError("The device code was issued to another client.");
    if (!(await values.add(`device-poll:${device}`, "", intervalSeconds(issuer) * 1000))) {
      throw new OAuthError("slow_down", "Poll less often.");
    }
    const subject = await values.get(`device-answer:${device}`);
    if (subject === undefined) throw new OAuthError("authorization_pending", "The user has not decided yet.");
    if (subject === "") throw new OAuthError("access_denied", "The user denied the request.");
    const { scopes, resources } = pending;
    const user = findUser(issuer, subject);
    const grant = toUserGrant(issuer, user, { clientId: client.client_id, scopes, resources });
    const audience = toGrantedAudience(form.all("resource"), resources, issuer.audiences);
    const refresh = client.grant_types.includes("refresh_token");
    const spend = async () => {
      if (!(await values.remove(`device:${device}`)))
        throw invalidGrantError("The device code was used before.");
    };
    return issuer.tokenIssuer.issue({ grant, audience, scopes, thumbprint, refresh, spend });
  };
}

async function decide({ values }: DevIssuer, device: string, subject: string): Promise<void> {
  await values.put(`device-answer:${device}`, subject, deviceCodeMs);
}

function intervalSeconds({ options }: DevIssuer): number {
  return options.deviceIntervalSeconds ?? 5;
}

function toUserCode(): string {
  const numbers = crypto.getRandomValues(new Uint32Array(8));
  return [...numbers].map((number) => userCodeLetters[number % userCodeLetters.length]).join("");
}
