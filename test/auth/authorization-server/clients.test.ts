import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { decodeJwt } from "jose";
import * as oauth from "oauth4webapi";
import { afterEach, describe, expect, test } from "vitest";
import {
  ask,
  discover,
  followToCallback,
  logIn,
  redirectUri,
  register,
} from "../../support/auth/dev-login.ts";
import { serve } from "../../support/auth/serve-dev-auth.ts";

const closing: (() => void)[] = [];

afterEach(() => {
  for (const close of closing.splice(0)) close();
});

interface Published {
  readonly url: string;
  readonly reads: () => number;
}

/** Publishes what a client says of itself. */
async function publish(change: object = {}, headers: Record<string, string> = {}): Promise<Published> {
  let reads = 0;
  const http = createServer((_, response) => {
    reads += 1;
    const document = { client_id: url, client_name: "Published", redirect_uris: [redirectUri], ...change };
    response.writeHead(200, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify(document));
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  closing.push(
    () => http.closeAllConnections(),
    () => http.close(),
  );
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/client.json`;
  return { url, reads: () => reads };
}

async function as(issuer: string, clientId: string) {
  return { as: await discover(issuer), client: { client_id: clientId }, auth: oauth.None() };
}

describe("a client whose id is the address of its document", () => {
  test("needs no registration", async () => {
    const { issuer } = await serve();
    const { url } = await publish();
    const tokens = await logIn(await as(issuer, url));
    expect(decodeJwt(tokens.access_token).client_id).toBe(url);
  });

  test("is read again only when its cached document has expired", async () => {
    const { issuer } = await serve();
    const kept = await publish({}, { "cache-control": "max-age=60" });
    await logIn(await as(issuer, kept.url));
    expect(kept.reads()).toBe(1);
    const fresh = await publish({}, { "cache-control": "no-store" });
    await logIn(await as(issuer, fresh.url));
    expect(fresh.reads()).toBe(2);
  });

  test.each([
    ["of another id", { client_id: "https://other.example/client.json" }],
    ["with another redirect URI", { redirect_uris: ["http://127.0.0.1:7000/other"] }],
    ["without redirect URIs", { redirect_uris: undefined }],
    [
      "without redirect URIs for a machine",
      { redirect_uris: undefined, grant_types: ["client_credentials"] },
    ],
    ["without a name", { client_name: undefined }],
    ["with a secret", { client_secret: "everybody knows", token_endpoint_auth_method: "client_secret_post" }],
    ["that is too long", { client_name: "x".repeat(20_000) }],
  ])("is refused with a document %s", async (_, change) => {
    const { issuer } = await serve();
    const { url } = await publish(change);
    const asked = await ask(await as(issuer, url));
    expect((await fetch(asked.url, { redirect: "manual" })).status).toBe(400);
  });

  test.each([
    "http://example.com/client.json",
    "https://example.com/",
    "https://user:secret@example.com/client.json",
    "https://example.com/a/../client.json",
    "https://example.com/client.json#part",
  ])("is refused at %s before anything is fetched", async (id) => {
    const { issuer } = await serve();
    const asked = await ask(await as(issuer, id));
    const response = await fetch(asked.url, { redirect: "manual" });
    expect(response.status).toBe(400);
    expect(await response.text()).toMatch(/is not https|is not the URL of a document/);
  });

  test("is refused when its document is elsewhere", async () => {
    const { issuer } = await serve();
    const { url } = await publish();
    const http = createServer((_, response) => response.writeHead(302, { location: url }).end());
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
    closing.push(
      () => http.closeAllConnections(),
      () => http.close(),
    );
    const id = `http://127.0.0.1:${(http.address() as AddressInfo).port}/client.json`;
    const asked = await ask(await as(issuer, id));
    expect((await fetch(asked.url, { redirect: "manual" })).status).toBe(400);
  });

  test.each([
    ["http://127.0.0.1:5999/callback", true],
    ["com.example.app:/callback", true],
    ["https://client.example/callback", false],
  ])("is not vouched for by its document if its users are sent to %s: %j", async (uri, isWarned) => {
    const { issuer } = await serve({ autoApprove: false });
    const { url } = await publish({ redirect_uris: [uri] });
    const asked = await ask(await as(issuer, url), { change: { redirect_uri: uri } });
    const page = await (await fetch(asked.url)).text();
    expect(page).toContain(url);
    expect(page.includes("Any program on this device can claim to be this client")).toBe(isWarned);
  });

  test("is unknown where such documents are not read", async () => {
    const { issuer } = await serve({ clientMetadataDocuments: false });
    const { url, reads } = await publish();
    expect((await discover(issuer)).client_id_metadata_document_supported).toBe(false);
    const asked = await ask(await as(issuer, url));
    expect((await fetch(asked.url, { redirect: "manual" })).status).toBe(400);
    expect(reads()).toBe(0);
  });
});

describe("registration", () => {
  test("issues a secret only to clients that authenticate by it", async () => {
    const { issuer } = await serve();
    expect((await register(issuer)).client).not.toHaveProperty("client_secret");
    const { client } = await register(issuer, { token_endpoint_auth_method: "client_secret_post" });
    expect(client.client_secret).toMatch(/^.{40,}$/);
  });

  test("the secret opens, and another doesn't", async () => {
    const { issuer } = await serve();
    const login = await register(issuer, { token_endpoint_auth_method: "client_secret_post" });
    const secret = String(login.client.client_secret);
    expect(await logIn({ ...login, auth: oauth.ClientSecretPost(secret) })).toHaveProperty("access_token");
    await expect(logIn({ ...login, auth: oauth.ClientSecretPost("wrong") })).rejects.toThrow();
  });

  test("is not offered where it is turned off", async () => {
    const { issuer } = await serve({ registration: false });
    expect(await discover(issuer)).not.toHaveProperty("registration_endpoint");
    expect((await fetch(`${issuer}/register`, { method: "POST" })).status).toBe(404);
  });

  test.each([
    "http://example.com/callback",
    "https://example.com/callback#part",
    "https://user@example.com/callback",
    "javascript:alert(1)",
    "data:text/html,hello",
    "file:///etc/passwd",
    "callback",
    "https://example.com/\\callback",
    "http://127.0.0.1.evil.example/callback",
  ])("refuses the redirect URI %s", async (uri) => {
    const { issuer } = await serve();
    const body = JSON.stringify({ redirect_uris: [uri] });
    const headers = { "content-type": "application/json" };
    const response = await fetch(`${issuer}/register`, { method: "POST", body, headers });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: "invalid_redirect_uri" });
  });

  test.each([
    ["[]", "invalid_client_metadata"],
    ['{"redirect_uris":"https://example.com/"}', "invalid_client_metadata"],
    [
      '{"redirect_uris":["https://example.com/"],"token_endpoint_auth_method":"magic"}',
      "invalid_client_metadata",
    ],
    [
      '{"redirect_uris":["https://example.com/"],"jwks":{"keys":[{"kty":"oct","k":"x"}]}}',
      "invalid_client_metadata",
    ],
    ["{", "invalid_request"],
  ])("refuses the metadata %s", async (body, error) => {
    const { issuer } = await serve();
    const headers = { "content-type": "application/json" };
    const response = await fetch(`${issuer}/register`, { method: "POST", body, headers });
    expect(await response.json()).toMatchObject({ error });
  });

  test("a loopback redirect URI without a port matches every port, any other only itself", async () => {
    const { issuer } = await serve();
    const login = await register(issuer, {
      redirect_uris: ["http://127.0.0.1/callback", "com.example.app:/back"],
    });
    const { url } = await ask(login);
    expect((await followToCallback(url)).host).toBe("127.0.0.1:5999");
    const own = await ask(login, { change: { redirect_uri: "com.example.app:/back" } });
    expect((await followToCallback(own.url)).protocol).toBe("com.example.app:");
    for (const uri of ["http://localhost:5999/callback", "http://127.0.0.1:99999/callback"]) {
      const other = await ask(login, { change: { redirect_uri: uri } });
      expect((await fetch(other.url, { redirect: "manual" })).status).toBe(400);
    }
  });

  test("refuses a body that is too large", async () => {
    const { issuer } = await serve();
    const body = JSON.stringify({ client_name: "x".repeat(100_000) });
    const headers = { "content-type": "application/json" };
    expect((await fetch(`${issuer}/register`, { method: "POST", body, headers })).status).toBe(413);
  });
});
