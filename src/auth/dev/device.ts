import { json, page } from "../issuer/answer.ts";
import { assertResources, toAudience } from "../issuer/audience.ts";
import { withoutSecret } from "../issuer/authorization-request.ts";
import { onPage } from "../issuer/authorize-endpoint.ts";
import { type AuthenticationOptions, authenticateClient } from "../issuer/client-authentication.ts";
import { Consent } from "../issuer/consent.ts";
import type { Wish } from "../issuer/consent-page.ts";
import { html, toPage } from "../issuer/html.ts";
import { paths } from "../issuer/metadata.ts";
import { readForm } from "../issuer/parameters.ts";
import { digest, randomToken } from "../issuer/random-token.ts";
import { invalidGrant, Refusal } from "../issuer/refusal.ts";
import type { Route } from "../issuer/router.ts";
import type { GrantHandler } from "../issuer/token-endpoint.ts";
import { toUserChoice } from "./authorize.ts";
import { readScopes } from "./client-credentials.ts";
import { type DevIssuer, findAutoApprover } from "./dev-issuer.ts";
import { findUser, toUserGrant } from "./user-grant.ts";

export const deviceGrantType: string = "urn:ietf:params:oauth:grant-type:device_code";

/** A device that waits until its user decides elsewhere (RFC 8628). */
interface DeviceWish extends Wish {
  /** Hash of its code. */
  readonly device: string;
}

const waitSeconds = 600;
const waitMs = waitSeconds * 1000;
// Without vowels, so that no words come of it (RFC 8628, 6.1).
const letters = "BCDFGHJKLMNPQRSTVWXZ";

export function deviceAuthorization(issuer: DevIssuer, authentication: AuthenticationOptions): Route {
  const start = async (request: Request): Promise<Response> => {
    const form = await readForm(request);
    const client = await authenticateClient(request, form, authentication);
    const resources = form.all("resource");
    assertResources(resources, issuer.audiences);
    const [code, userCode] = [randomToken(), toUserCode()];
    const device = await digest(code);
    const scopes = readScopes(issuer, client, form);
    const wish: DeviceWish = { client: withoutSecret(client), scopes, resources, device };
    await issuer.values.put(`device:${device}`, JSON.stringify(wish), waitMs);
    await issuer.values.put(`user-code:${userCode}`, device, waitMs);
    const approver = findAutoApprover(issuer);
    if (approver) await decide(issuer, device, approver.subject);
    const address = issuer.url + paths.device;
    return json({
      device_code: code,
      user_code: `${userCode.slice(0, 4)}-${userCode.slice(4)}`,
      verification_uri: address,
      verification_uri_complete: `${address}?user_code=${userCode}`,
      expires_in: waitSeconds,
      interval: intervalSeconds(issuer),
    });
  };
  return { POST: start, isOpen: true };
}

/** The page on which the user types what the device shows. */
export function devicePage(issuer: DevIssuer): Route {
  const { url, values } = issuer;
  const consent = new Consent<DeviceWish>({ issuer: url, values, path: paths.device });
  const show = async (request: Request): Promise<Response> => {
    const typed = new URL(request.url).searchParams.get("user_code");
    if (typed === null) return page(toPage("Connect a device", codeForm));
    const device = await values.get(`user-code:${typed.toUpperCase().replace(/[^A-Z]/g, "")}`);
    const kept = device && (await values.get(`device:${device}`));
    if (!kept) throw new Refusal("expired_token", "No device waits with this code, or no longer.");
    return consent.ask(JSON.parse(kept) as DeviceWish, toUserChoice(issuer.users));
  };
  const answer = async (request: Request): Promise<Response> => {
    const { wish, isAllowed, form } = await consent.readAnswer(request);
    await decide(issuer, wish.device, isAllowed ? findUser(issuer, form.require("user")).subject : "");
    return page(toPage("Done", html`<p>The device goes on by itself; this window can be closed.</p>`));
  };
  return { GET: (request) => onPage(() => show(request)), POST: (request) => onPage(() => answer(request)) };
}

const codeForm = html`<form><p><label>The code that the device shows: <input name="user_code" autocomplete="off">
</label></p><button>Next</button></form>`;

/** Tokens for a device whose user has said yes. */
export function deviceGrant(issuer: DevIssuer): GrantHandler {
  const { values } = issuer;
  return async ({ client, form, thumbprint }) => {
    const device = await digest(form.require("device_code"));
    const kept = await values.get(`device:${device}`);
    if (kept === undefined) throw new Refusal("expired_token", "The device code is unknown or has expired.");
    const wish = JSON.parse(kept) as DeviceWish;
    if (wish.client.client_id !== client.client_id)
      throw invalidGrant("The device code is another client's.");
    if (!(await values.add(`device-poll:${device}`, "", intervalSeconds(issuer) * 1000))) {
      throw new Refusal("slow_down", "Ask less often.");
    }
    const subject = await values.get(`device-answer:${device}`);
    if (subject === undefined) throw new Refusal("authorization_pending", "The user has not decided yet.");
    if (!(await values.remove(`device:${device}`))) throw invalidGrant("The device code was used before.");
    if (subject === "") throw new Refusal("access_denied", "The user said no.");
    const { scopes, resources } = wish;
    const user = findUser(issuer, subject);
    const grant = toUserGrant(issuer, user, { clientId: client.client_id, scopes, resources });
    const audience = toAudience(form.all("resource"), resources, issuer.audiences);
    const refresh = client.grant_types.includes("refresh_token");
    return issuer.minter.mint({ grant, audience, scopes, thumbprint, refresh });
  };
}

async function decide({ values }: DevIssuer, device: string, subject: string): Promise<void> {
  await values.put(`device-answer:${device}`, subject, waitMs);
}

function intervalSeconds({ options }: DevIssuer): number {
  return options.deviceIntervalSeconds ?? 5;
}

function toUserCode(): string {
  const numbers = crypto.getRandomValues(new Uint32Array(8));
  return [...numbers].map((number) => letters[number % letters.length]).join("");
}
