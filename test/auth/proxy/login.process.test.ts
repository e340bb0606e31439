// Clients log in through the proxy, at an identity provider that nobody here wrote and that knows the proxy alone.
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  Client as OfficialClient,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { createServer, scopes, tool } from "allspeak";
import { bearer, createOAuthProxy, oauth } from "allspeak/auth";
import { connect } from "allspeak/client";
import { createNodeHandler } from "allspeak/node";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { Browser } from "../../support/auth/browser.ts";
import { type OidcProvider, startOidcProvider } from "../../support/auth/oidc-provider.ts";
import { agree } from "../../support/auth/test-proxy.ts";

const callback = "http://127.0.0.1:9/callback";

let provider: OidcProvider;
beforeAll(async () => {
  provider = await startOidcProvider();
});
afterAll(() => provider.close());

/** As somebody does by hand at providers that let nobody register. */
async function registerProxy(redirectUri: string): Promise<{ client_id: string; client_secret: string }> {
  const body = JSON.stringify({ redirect_uris: [redirectUri] });
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${provider.issuer}/reg`, { method: "POST", body, headers });
  return (await response.json()) as { client_id: string; client_secret: string };
}

const server = createServer({
  name: "protected",
  version: "1",
  tools: [
    tool("whoami", {}, (_, { principal }) => `${principal?.subject}: ${principal?.scopes?.join(" ")}`),
    tool("order", { access: scopes("orders:write") }, () => "ordered"),
  ],
});

async function serve() {
  const http = createHttpServer();
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const { client_id, client_secret } = await registerProxy(`${origin}/callback`);
  const proxy = await createOAuthProxy({
    publicUrl: origin,
    resource: `${origin}/mcp`,
    upstream: { issuer: provider.issuer, clientId: client_id, clientSecret: client_secret },
    admit: ({ subject }) => ({ subject: `user ${subject}` }),
    scopes: ["orders:read", "orders:write"],
  });
  const auth = bearer({ issuer: proxy.issuer, jwks: proxy.jwks, scopes: ["orders:read"] });
  const mcp = createNodeHandler(server, { auth, publicUrl: `${origin}/mcp` });
  http.on("request", (request, response) => proxy.onRequest(request, response, () => mcp(request, response)));
  onTestFinished(async () => {
    await mcp.close(0);
    http.closeAllConnections();
    http.close();
  });
  return { url: new URL(`${origin}/mcp`), proxy };
}

/** A user who agrees, and logs in at the provider; the address that the client is answered at. */
async function visit(address: URL): Promise<URL> {
  const browser = new Browser();
  const agreed = await agree(browser, address);
  const answer = await browser.follow(agreed, [address.origin, provider.issuer]);
  return new URL(answer.headers.get("location") ?? "");
}

test("our client logs in, and steps up when a tool needs more", async () => {
  const { url } = await serve();
  const asked: URL[] = [];
  const authorize = (address: URL) => {
    asked.push(address);
    return visit(address);
  };
  const client = await connect(url.href, { auth: oauth({ authorize, redirectUri: callback }) });
  onTestFinished(() => client.close());
  const { content } = await client.tools.call("whoami", {});
  expect(content).toMatchObject([{ text: "user alice: orders:read" }]);
  expect((await client.tools.call("order", {})).content).toMatchObject([{ text: "ordered" }]);
  expect(asked.map(({ origin }) => origin)).toEqual([url.origin, url.origin]);
});

test("the official client logs in", async () => {
  const { url } = await serve();
  const asked: URL[] = [];
  let known: StoredOAuthClientInformation | undefined;
  let tokens: StoredOAuthTokens | undefined;
  let verifier = "";
  let discovery: OAuthDiscoveryState | undefined;
  const authProvider: OAuthClientProvider = {
    redirectUrl: callback,
    clientMetadata: {
      client_name: "official",
      redirect_uris: [callback],
      token_endpoint_auth_method: "none",
    },
    clientInformation: () => known,
    saveClientInformation: (client) => {
      known = client;
    },
    tokens: () => tokens,
    saveTokens: (saved) => {
      tokens = saved;
    },
    redirectToAuthorization: (address) => void asked.push(address),
    saveCodeVerifier: (saved) => {
      verifier = saved;
    },
    codeVerifier: () => verifier,
    saveDiscoveryState: (saved) => {
      discovery = saved;
    },
    discoveryState: () => discovery,
  };
  const transport = new StreamableHTTPClientTransport(url, { authProvider });
  await expect(new OfficialClient({ name: "official", version: "1" }).connect(transport)).rejects.toThrow(
    /[Uu]nauthorized/,
  );
  const [address = url] = asked;
  await transport.finishAuth((await visit(address)).searchParams);
  const client = new OfficialClient({ name: "official", version: "1" });
  onTestFinished(() => client.close());
  await client.connect(new StreamableHTTPClientTransport(url, { authProvider }));
  expect(await client.callTool({ name: "whoami" })).toMatchObject({
    content: [{ text: "user alice: orders:read" }],
  });
});
