import { expect, test } from "vitest";
import { Browser, readPage } from "../../support/auth/browser.ts";
import { ask, followToCallback, redeem, register, resource } from "../../support/auth/dev-login.ts";
import { serve } from "../../support/auth/serve-dev-auth.ts";

async function open(metadata: Parameters<typeof register>[1] = {}) {
  const users = [{ subject: "alice" }, { subject: "bob", name: "Bob" }];
  const { issuer } = await serve({ autoApprove: false, users });
  const login = await register(issuer, metadata);
  const asked = await ask(login, { scope: "read" });
  const browser = new Browser();
  const response = await browser.get(asked.url);
  return { issuer, login, asked, browser, response, page: await readPage(response.clone(), issuer) };
}

test("the page shows the client, its request and the redirect target", async () => {
  const { page, login } = await open();
  for (const shown of [
    "A test",
    login.client.client_id,
    "http://127.0.0.1:5999/callback",
    resource,
    "read",
  ]) {
    expect(page.text).toContain(shown);
  }
});

test("the page cannot be framed, runs no scripts and escapes the client's metadata", async () => {
  const { response, page } = await open({ client_name: `<script>alert(1)</script>"'` });
  expect(response.headers.get("content-security-policy")).toMatch("frame-ancestors 'none'");
  expect(response.headers.get("content-security-policy")).toMatch("default-src 'none'");
  expect(response.headers.get("x-frame-options")).toBe("DENY");
  expect(page.text).not.toContain("<script>");
  expect(page.text).toContain("&lt;script&gt;");
});

test("a user who allows the request is logged in as the chosen user", async () => {
  const { browser, page, login, asked } = await open();
  const answer = await browser.submit(page, { decision: "allow", user: "bob" });
  const tokens = await redeem(login, new URL(answer.headers.get("location") ?? ""), asked);
  expect(JSON.parse(atob(tokens.access_token.split(".")[1] ?? ""))).toMatchObject({ sub: "bob" });
});

test("a user who denies the request sends the client an error", async () => {
  const { browser, page, asked, issuer } = await open();
  const answer = await browser.submit(page, { decision: "deny", user: "bob" });
  const { searchParams } = new URL(answer.headers.get("location") ?? "");
  expect(Object.fromEntries(searchParams)).toMatchObject({
    error: "access_denied",
    state: asked.state,
    iss: issuer,
  });
});

test("an answer counts once", async () => {
  const { browser, page } = await open();
  expect((await browser.submit(page, { decision: "allow", user: "bob" })).status).toBe(303);
  expect((await browser.submit(page, { decision: "allow", user: "bob" })).status).toBe(403);
});

test("a form from another browser or another site is refused", async () => {
  const { browser, page } = await open();
  const fields = { decision: "allow", user: "bob" };
  expect((await new Browser().submit(page, fields)).status).toBe(403);
  expect((await browser.submit(page, fields, { origin: "https://evil.example" })).status).toBe(403);
  expect((await browser.submit(page, fields, { origin: "null" })).status).toBe(403);
  expect((await browser.submit(page, fields, { "sec-fetch-site": "cross-site" })).status).toBe(403);
  expect((await browser.submit(page, fields)).status).toBe(303);
});

test("other sites can read metadata, but no page", async () => {
  const { issuer, response } = await open();
  const metadata = await fetch(`${issuer}/.well-known/oauth-authorization-server`);
  expect(metadata.headers.get("access-control-allow-origin")).toBe("*");
  expect(response.headers.has("access-control-allow-origin")).toBe(false);
});

test("a client that asks for prompt=none is refused where consent is required", async () => {
  const { issuer } = await serve({ autoApprove: false });
  const { url } = await ask(await register(issuer), { change: { prompt: "none" } });
  expect((await followToCallback(url)).searchParams.get("error")).toBe("consent_required");
});

test("a client's name is shown without text direction characters", async () => {
  const { page } = await open({ client_name: "safe\u202Egnihton\u0000" });
  expect(page.text).toContain("safegnihton");
});

test("a cross-site request is not approved automatically", async () => {
  const { issuer } = await serve({ autoApprove: true });
  const { url } = await ask(await register(issuer));
  const response = await fetch(url, { redirect: "manual", headers: { "sec-fetch-site": "cross-site" } });
  expect(response.status).toBe(200);
  expect((await followToCallback(url)).searchParams.has("code")).toBe(true);
});
