import { decodeJwt } from "jose";
import * as oauth from "oauth4webapi";
import { expect, test } from "vitest";
import type { DevAuthOptions } from "../../../src/auth-dev.ts";
import { Browser, readPage } from "../../support/auth/browser.ts";
import { insecure, type Login, refusalOf, register, resource } from "../../support/auth/dev-login.ts";
import { serve } from "../../support/auth/serve-dev-auth.ts";

const grant = "urn:ietf:params:oauth:grant-type:device_code";

async function start(options: DevAuthOptions = {}) {
  const { issuer } = await serve({ autoApprove: false, deviceIntervalSeconds: 0.001, ...options });
  const login = await register(issuer, { grant_types: [grant, "refresh_token"], redirect_uris: [] });
  const { as, client, auth } = login;
  const response = await oauth.deviceAuthorizationRequest(
    as,
    client,
    auth,
    { scope: "read", resource },
    insecure,
  );
  return { issuer, login, device: await oauth.processDeviceAuthorizationResponse(as, client, response) };
}

async function poll({ as, client, auth }: Login, code: string) {
  const response = await oauth.deviceCodeGrantRequest(as, client, auth, code, insecure);
  return oauth.processDeviceCodeResponse(as, client, response);
}

async function decide(issuer: string, code: string, decision: string): Promise<number> {
  const browser = new Browser();
  const page = await readPage(await browser.get(`${issuer}/device?user_code=${code}`), issuer);
  return (await browser.submit(page, { decision, user: "dev" })).status;
}

test("a device gets tokens once its user has typed the code and said yes", async () => {
  const { issuer, login, device } = await start();
  expect(await refusalOf(poll(login, device.device_code))).toBe("authorization_pending");
  // Typed by a human.
  expect(await decide(issuer, device.user_code.toLowerCase(), "allow")).toBe(200);
  const tokens = await poll(login, device.device_code);
  expect(decodeJwt(tokens.access_token)).toMatchObject({ sub: "dev", aud: resource, scope: "read" });
  expect(tokens).toHaveProperty("refresh_token");
  expect(await refusalOf(poll(login, device.device_code))).toBe("expired_token");
});

test("a device gets no tokens when its user denies the request", async () => {
  const { issuer, login, device } = await start();
  await decide(issuer, device.user_code, "deny");
  expect(await refusalOf(poll(login, device.device_code))).toBe("access_denied");
});

test("a device that polls too often gets slow_down", async () => {
  const { login, device } = await start({ deviceIntervalSeconds: 60 });
  expect(await refusalOf(poll(login, device.device_code))).toBe("authorization_pending");
  expect(await refusalOf(poll(login, device.device_code))).toBe("slow_down");
});

test("a code is of no use to another client", async () => {
  const { issuer, device } = await start({ autoApprove: true });
  const other = await register(issuer, { grant_types: [grant], redirect_uris: [] });
  expect(await refusalOf(poll(other, device.device_code))).toBe("invalid_grant");
});

test("an unknown user code is refused on the page", async () => {
  const { issuer } = await start();
  expect((await fetch(`${issuer}/device?user_code=BCDF-GHJK`)).status).toBe(400);
  expect(await (await fetch(`${issuer}/device`)).text()).toContain('name="user_code"');
});

test("a device whose request a page of another site has sent is not approved by itself", async () => {
  const { issuer } = await serve({ autoApprove: true, deviceIntervalSeconds: 0.001 });
  const login = await register(issuer, { grant_types: [grant], redirect_uris: [] });
  const response = await fetch(`${issuer}/device_authorization`, {
    method: "POST",
    headers: { origin: "https://evil.example", "sec-fetch-site": "cross-site" },
    body: new URLSearchParams({ client_id: login.client.client_id, scope: "read", resource }),
  });
  const { device_code: code } = (await response.json()) as { device_code: string };
  expect(await refusalOf(poll(login, code))).toBe("authorization_pending");
});

test("a device need not wait where everything is approved", async () => {
  const { login, device } = await start({ autoApprove: true });
  expect(await poll(login, device.device_code)).toHaveProperty("access_token");
});
