import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import express from "express";
import { decodeJwt, exportJWK, generateKeyPair } from "jose";
import * as oauth from "oauth4webapi";
import { afterEach, describe, expect, test, vi } from "vitest";
import { bearer, createOAuthProxy } from "../../../src/auth.ts";
import { connect, httpTransport } from "../../../src/client.ts";
import { memoryState } from "../../../src/http.ts";
import { createServer as createMcpServer, tool } from "../../../src/index.ts";
import { createNodeHandler } from "../../../src/node.ts";
import { Browser } from "../../support/auth/browser.ts";
import { ask, insecure, redirectUri as loopbackUri, redeem, register } from "../../support/auth/dev-login.ts";
import { serve } from "../../support/auth/serve-dev-auth.ts";
import {
  agree,
  askProxy,
  createBrowser,
  createTestProxy,
  logInThrough,
  logInUpstream,
  redeemAt,
  registerAt,
  resource,
  tokenFrom,
} from "../../support/auth/test-proxy.ts";

const closing: (() => Promise<void> | void)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function logIn(deputy: Awaited<ReturnType<typeof createTestProxy>>, scope = "read write") {
  const { client_id: clientId } = await registerAt(deputy.proxy);
  const { url, verifier } = await askProxy(deputy.proxy, clientId, { scope });
  const answer = await logInThrough(createBrowser(deputy.proxy), url);
  return { clientId, answer, ...(await redeemAt(deputy.proxy, { clientId, answer, verifier })) };
}

describe("a login", () => {
  test("ends at the client, with its own state and the proxy as issuer", async () => {
    const deputy = await createTestProxy();
    const { answer, body } = await logIn(deputy);
    expect(answer.searchParams.get("state")).toBe("the client's own");
    expect(answer.searchParams.get("iss")).toBe(deputy.proxy.issuer);
    expect(body).toMatchObject({ token_type: "Bearer", scope: "read write", expires_in: 600 });
  });

  test("passes the login to admit, which decides subject, claims and scopes", async () => {
    const seen: unknown[] = [];
    const deputy = await createTestProxy({
      admit: ({ subject, claims, clientId }) => {
        seen.push(subject, claims.email, claims.email_verified, clientId);
        return { subject: "employee-7", claims: { team: "blue" }, scopes: ["read"] };
      },
    });
    const { body, clientId } = await logIn(deputy);
    expect(seen).toEqual(["alice", "alice@example.com", true, clientId]);
    expect(body.scope).toBe("read");
    expect(decodeJwt(body.access_token ?? "")).toMatchObject({
      sub: "employee-7",
      team: "blue",
      scope: "read",
    });
  });

  test("of a user who is not admitted ends without a code", async () => {
    const { answer } = await logIn(await createTestProxy({ admit: () => false }));
    expect(answer.searchParams.get("error")).toBe("access_denied");
    expect(answer.searchParams.has("code")).toBe(false);
  });

  test("that the provider refuses ends without a code", async () => {
    const { proxy } = await createTestProxy();
    const browser = createBrowser(proxy);
    const { url } = await askProxy(proxy, (await registerAt(proxy)).client_id);
    const callback = await logInUpstream(browser, await agree(browser, url));
    callback.searchParams.delete("code");
    callback.searchParams.set("error", "access_denied");
    const { headers } = await browser.get(callback);
    expect(new URL(headers.get("location") ?? "").searchParams.get("error")).toBe("access_denied");
  });

  test("is over for the client when the provider is out of reach", async () => {
    const error = vi.spyOn(console, "error").mockImplementation(() => {});
    const { proxy, upstream } = await createTestProxy();
    await upstream.close();
    const { url } = await askProxy(proxy, (await registerAt(proxy)).client_id);
    const { headers } = await agree(createBrowser(proxy), url);
    const { searchParams } = new URL(headers.get("location") ?? "");
    expect(searchParams.get("error")).toBe("temporarily_unavailable");
    expect(error).toHaveBeenCalled();
    error.mockRestore();
  });

  test("may begin at one node and end at another that shares state and keys", async () => {
    const state = memoryState();
    const { privateKey } = await generateKeyPair("ES256", { extractable: true });
    const signingKeys = [{ ...(await exportJWK(privateKey)), alg: "ES256" }];
    const { proxy: first, upstream } = await createTestProxy({ state, signingKeys });
    const { proxy: second } = await createTestProxy({
      state,
      signingKeys,
      upstream: { issuer: upstream.issuer, clientId: "proxy", clientSecret: "known to the proxy alone" },
    });
    expect(second.jwks).toEqual(first.jwks);
    expect(JSON.stringify(first.jwks)).not.toContain('"d"');
    const { client_id: clientId } = await registerAt(first);
    const { url, verifier } = await askProxy(second, clientId);
    let turn = 0;
    const browser = new Browser((request) => {
      if (!request.url.startsWith(first.issuer)) return fetch(request);
      turn += 1;
      return (turn % 2 === 0 ? first : second).fetch(request);
    });
    const answer = await logInThrough(browser, url);
    expect((await redeemAt(first, { clientId, answer, verifier })).status).toBe(200);
  });
});

describe("a refresh", () => {
  test("replaces the refresh token, and one that is used again ends everything", async () => {
    const deputy = await createTestProxy();
    const { clientId, body } = await logIn(deputy);
    const form = {
      grant_type: "refresh_token",
      client_id: clientId,
      refresh_token: body.refresh_token ?? "",
    };
    const next = await tokenFrom(deputy.proxy, form);
    expect(decodeJwt(next.body.access_token ?? "").aud).toBe(resource);
    expect((await tokenFrom(deputy.proxy, form)).body.error).toBe("invalid_grant");
    const successor = { ...form, refresh_token: next.body.refresh_token ?? "" };
    expect((await tokenFrom(deputy.proxy, successor)).body.error).toBe("invalid_grant");
  });

  test("is refused to a user who lost access", async () => {
    let stays = true;
    const asked: unknown[] = [];
    const mayStay = (held: object) => {
      asked.push(held);
      return stays;
    };
    const deputy = await createTestProxy({ mayRefresh: mayStay });
    const { clientId, body } = await logIn(deputy, "read");
    const form = { grant_type: "refresh_token", client_id: clientId };
    const next = await tokenFrom(deputy.proxy, { ...form, refresh_token: body.refresh_token ?? "" });
    expect(asked).toEqual([{ subject: "alice", claims: {}, scopes: ["read"], clientId }]);
    stays = false;
    const last = { ...form, refresh_token: next.body.refresh_token ?? "" };
    expect((await tokenFrom(deputy.proxy, last)).body.error).toBe("invalid_grant");
  });
});

test("a full store is reported as temporarily unavailable", async () => {
  const { proxy } = await createTestProxy({ state: memoryState({ maxValues: 0 }) });
  const body = JSON.stringify({ redirect_uris: ["https://client.example/"] });
  const headers = { "content-type": "application/json" };
  const request = new Request(`${proxy.issuer}/register`, { method: "POST", body, headers });
  expect((await proxy.fetch(request)).status).toBe(503);
});

describe("registration", () => {
  test("is limited, for all clients together", async () => {
    const { proxy } = await createTestProxy({ maxRegistrationsPerHour: 2 });
    await registerAt(proxy);
    await registerAt(proxy);
    const body = JSON.stringify({ redirect_uris: ["https://client.example/"] });
    const headers = { "content-type": "application/json" };
    const request = new Request(`${proxy.issuer}/register`, { method: "POST", body, headers });
    const response = await proxy.fetch(request);
    expect(response.status).toBe(429);
    expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
  });

  test("can be turned off, and documents too", async () => {
    const { proxy } = await createTestProxy({ registration: false, clientMetadataDocuments: false });
    expect(proxy.serves("/register")).toBe(false);
    const metadata = await proxy.fetch(new Request(`${proxy.issuer}/.well-known/oauth-authorization-server`));
    expect(await metadata.json()).toMatchObject({ client_id_metadata_document_supported: false });
  });

  test("pages of other sites can read the metadata, but not the login page", async () => {
    const { proxy } = await createTestProxy();
    const allowedOrigin = async (path: string) =>
      (await proxy.fetch(new Request(proxy.issuer + path))).headers.get("access-control-allow-origin");
    expect(await allowedOrigin("/.well-known/oauth-authorization-server")).toBe("*");
    expect(await allowedOrigin("/authorize")).toBeNull();
  });

  test.each([
    "http://127.0.0.1:1/client.json",
    "https://localhost/client.json",
    "https://10.0.0.1/client.json",
    "https://169.254.169.254/client.json",
    "https://[::ffff:a00:1]/client.json",
    "https://some.localhost/client.json",
  ])("reads no document at %s, which is for those inside", async (id) => {
    const { proxy } = await createTestProxy();
    const { url } = await askProxy(proxy, id);
    const response = await createBrowser(proxy).get(url);
    expect(response.status).toBe(400);
    expect(await response.text()).toMatch(/is a URL of this machine|is not a public URL/);
  });
});

test.each([
  [{ publicUrl: "http://mcp.example" }, "publicUrl"],
  [{ publicUrl: "https://mcp.example/?a=1" }, "publicUrl"],
  [{ resource: [] }, "resource"],
  [{ resource: "mcp" }, "resource"],
  [{ upstream: { issuer: "http://accounts.example", clientId: "x" } }, "upstream.issuer"],
])("it can't be made with %o", async (change, option) => {
  await expect(
    createOAuthProxy({
      publicUrl: "https://mcp.example",
      resource,
      upstream: { issuer: "https://accounts.example", clientId: "x" },
      admit: () => true,
      ...change,
    }),
  ).rejects.toThrow(option);
});

describe("beside an MCP endpoint", () => {
  async function serveBoth() {
    const http = createServer();
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
    const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
    const upstream = await serve({
      users: [{ subject: "alice" }],
      clients: [{ client_id: "proxy", client_secret: "s", redirect_uris: [`${origin}/auth/callback`] }],
    });
    const proxy = await createOAuthProxy({
      publicUrl: `${origin}/auth`,
      resource: `${origin}/mcp`,
      upstream: { issuer: upstream.issuer, clientId: "proxy", clientSecret: "s" },
      admit: () => true,
    });
    const whoami = tool("whoami", { input: { type: "object" } }, (_, ctx) => `${ctx.principal?.subject}`);
    const server = createMcpServer({ name: "protected", version: "1.0.0", tools: [whoami] });
    const auth = bearer({ issuer: proxy.issuer, jwks: proxy.jwks });
    const mcp = createNodeHandler(server, { auth, publicUrl: `${origin}/mcp` });
    http.on("request", (request, response) =>
      proxy.onRequest(request, response, () => mcp(request, response)),
    );
    closing.push(
      () => mcp.close(0),
      () => {
        http.closeAllConnections();
        http.close();
      },
    );
    return { origin, proxy };
  }

  test("a client of another make logs in over HTTP and calls a tool", async () => {
    const { origin, proxy } = await serveBoth();
    const login = await register(proxy.issuer);
    const { url, verifier, state } = await ask(login, { resource: `${origin}/mcp` });
    const answer = await logInThrough(new Browser(), url);
    expect(answer.href).toMatch(loopbackUri);
    const tokens = await redeem(login, answer, { verifier, state });
    const headers = { authorization: `Bearer ${tokens.access_token}` };
    const client = await connect(httpTransport(`${origin}/mcp`, { headers }));
    closing.unshift(() => client.close());
    expect((await client.tools.call("whoami", {})).content).toEqual([{ type: "text", text: "alice" }]);
    const revoked = await oauth.revocationRequest(
      login.as,
      login.client,
      login.auth,
      tokens.refresh_token ?? "",
      insecure,
    );
    expect(revoked.status).toBe(200);
  });

  test("Express hands on what is not the proxy's, wherever the proxy is mounted", async () => {
    const { proxy } = await createTestProxy({ publicUrl: "http://127.0.0.1:9/auth", resource });
    const app = express();
    app.use("/auth", proxy.onRequest);
    app.get("/auth/other", (_, response) => void response.send("somebody else's"));
    const http = app.listen(0, "127.0.0.1");
    closing.push(() => {
      http.closeAllConnections();
      http.close();
    });
    await once(http, "listening");
    const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
    const registered = await fetch(`${origin}/auth/register`, {
      method: "POST",
      body: JSON.stringify({ redirect_uris: ["https://client.example/"] }),
      headers: { "content-type": "application/json" },
    });
    expect(registered.status).toBe(201);
    expect(await (await fetch(`${origin}/auth/other`)).text()).toBe("somebody else's");
  });

  test("a token of the provider opens nothing", async () => {
    const { origin } = await serveBoth();
    const token = await (await serve()).issueToken({ resource: `${origin}/mcp` });
    const response = await fetch(`${origin}/mcp`, {
      method: "POST",
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
    });
    expect(response.status).toBe(401);
  });

  test("what is nobody's is answered by nobody but the endpoint", async () => {
    const { origin, proxy } = await serveBoth();
    expect(proxy.serves("/auth/authorize")).toBe(true);
    expect(proxy.serves("/mcp")).toBe(false);
    expect((await fetch(`${origin}/health`)).status).toBe(200);
    expect((await fetch(`${origin}/auth/callback`)).status).toBe(403);
  });
});
