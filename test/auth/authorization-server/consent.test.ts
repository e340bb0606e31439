import { expect, test } from "vitest";
import { Browser, readPage } from "../../support/auth/browser.ts";
import { ask, redeem, register, resource, visit } from "../../support/auth/dev-login.ts";
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

test("the page says who asks, for what, and where the user is sent", async () => {
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

test("the page can't be framed, runs nothing and shows what a client says of itself as text", async () => {
  const { response, page } = await open({ client_name: `<script>alert(1)</script>"'` });
  expect(response.headers.get("content-security-policy")).toMatch("frame-ancestors 'none'");
  expect(response.headers.get("content-security-policy")).toMatch("default-src 'none'");
  expect(response.headers.get("x-frame-options")).toBe("DENY");
  expect(page.text).not.toContain("<script>");
  expect(page.text).toContain("&lt;script&gt;");
});

test("who allows it is logged in as the user that was chosen", async () => {
  const { browser, page, login, asked } = await open();
  const answer = await browser.submit(page, { decision: "allow", user: "bob" });
  const tokens = await redeem(login, new URL(answer.headers.get("location") ?? ""), asked);
  expect(JSON.parse(atob(tokens.access_token.split(".")[1] ?? ""))).toMatchObject({ sub: "bob" });
});

test("who denies it sends the client away", async () => {
  const { browser, page, asked } = await open();
  const answer = await browser.submit(page, { decision: "deny", user: "bob" });
  const { searchParams } = new URL(answer.headers.get("location") ?? "");
  expect(searchParams.get("error")).toBe("access_denied");
  expect(searchParams.get("state")).toBe(asked.state);
});

test("an answer counts once", async () => {
  const { browser, page } = await open();
  expect((await browser.submit(page, { decision: "allow", user: "bob" })).status).toBe(303);
  expect((await browser.submit(page, { decision: "allow", user: "bob" })).status).toBe(403);
});

test("an answer from another browser, or another site, counts for nothing", async () => {
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

test("a client that wants no page is refused where one is needed", async () => {
  const { issuer } = await serve({ autoApprove: false });
  const { url } = await ask(await register(issuer), { change: { prompt: "none" } });
  expect((await visit(url)).searchParams.get("error")).toBe("consent_required");
});

test("a name shows no characters that turn the text around", async () => {
  const { page } = await open({ client_name: "safe\u202Egnihton\u0000" });
  expect(page.text).toContain("safegnihton");
});

test("a page of another site that sends the browser here gets nothing without a word", async () => {
  const { issuer } = await serve({ autoApprove: true });
  const { url } = await ask(await register(issuer));
  const response = await fetch(url, { redirect: "manual", headers: { "sec-fetch-site": "cross-site" } });
  expect(response.status).toBe(200);
  expect((await visit(url)).searchParams.has("code")).toBe(true);
});
