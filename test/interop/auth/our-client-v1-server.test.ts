// Our client logs in to a server that is made with the official SDK, its authorization server included.
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { requireBearerAuth } from "@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js";
import type { OAuthServerProvider } from "@modelcontextprotocol/sdk/server/auth/provider.js";
import {
  getOAuthProtectedResourceMetadataUrl,
  mcpAuthRouter,
} from "@modelcontextprotocol/sdk/server/auth/router.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { OAuthClientInformationFull } from "@modelcontextprotocol/sdk/shared/auth.js";
import { oauth } from "allspeak/auth";
import { connect } from "allspeak/client";
import { loopbackLogin } from "allspeak/node";
import express from "express";
import { describe, expect, it, onTestFinished } from "vitest";

interface Code {
  readonly challenge: string;
  readonly resource: URL | undefined;
  readonly scopes: string[];
}

/** Lets everybody in at once, and keeps everything in memory. */
class Provider implements OAuthServerProvider {
  readonly clients = new Map<string, OAuthClientInformationFull>();
  readonly resources: (string | undefined)[] = [];
  readonly #codes = new Map<string, Code>();
  readonly #tokens = new Map<string, Code>();
  readonly #refresh = new Map<string, Code>();

  readonly clientsStore: OAuthServerProvider["clientsStore"] = {
    getClient: (id) => this.clients.get(id),
    registerClient: (client) => {
      const full = { ...client, client_id: randomUUID(), client_id_issued_at: 0 };
      this.clients.set(full.client_id, full);
      return full;
    },
  };

  authorize: OAuthServerProvider["authorize"] = async (_client, params, response) => {
    const code = randomUUID();
    const { codeChallenge: challenge, resource, scopes = [] } = params;
    this.#codes.set(code, { challenge, resource, scopes });
    const back = new URL(params.redirectUri);
    back.searchParams.set("code", code);
    if (params.state !== undefined) back.searchParams.set("state", params.state);
    response.redirect(back.href);
  };

  challengeForAuthorizationCode: OAuthServerProvider["challengeForAuthorizationCode"] = async (
    _client,
    code,
  ) => this.#codes.get(code)?.challenge ?? "";

  exchangeAuthorizationCode: OAuthServerProvider["exchangeAuthorizationCode"] = async (
    _client,
    code,
    ...others
  ) => {
    this.resources.push(others[2]?.href);
    return this.#issue(this.#codes.get(code));
  };

  exchangeRefreshToken: OAuthServerProvider["exchangeRefreshToken"] = async (_client, token) => {
    const granted = this.#refresh.get(token);
    this.#refresh.delete(token);
    return this.#issue(granted);
  };

  verifyAccessToken: OAuthServerProvider["verifyAccessToken"] = async (token) => {
    const granted = this.#tokens.get(token);
    const expiresAt = granted ? Date.now() / 1000 + 60 : 1;
    return { token, clientId: "any", scopes: granted?.scopes ?? [], expiresAt };
  };

  endAccessTokens(): void {
    this.#tokens.clear();
  }

  #issue(granted: Code | undefined) {
    if (granted === undefined) throw new Error("There is no such grant.");
    const [access, refresh] = [randomUUID(), randomUUID()];
    this.#tokens.set(access, granted);
    this.#refresh.set(refresh, granted);
    return { access_token: access, token_type: "bearer", expires_in: 60, refresh_token: refresh };
  }
}

async function serve(): Promise<{ url: string; provider: Provider }> {
  const provider = new Provider();
  const app = express();
  const listener = app.listen(0, "127.0.0.1");
  await once(listener, "listening");
  onTestFinished(() => {
    listener.closeAllConnections();
    listener.close();
  });
  const origin = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
  const resourceServerUrl = new URL(`${origin}/mcp`);
  app.use(express.json());
  app.use(
    mcpAuthRouter({ provider, issuerUrl: new URL(origin), resourceServerUrl, scopesSupported: ["notes"] }),
  );
  const resourceMetadataUrl = getOAuthProtectedResourceMetadataUrl(resourceServerUrl);
  app.all(
    "/mcp",
    requireBearerAuth({ verifier: provider, resourceMetadataUrl }),
    async (request, response) => {
      const server = new McpServer({ name: "official", version: "1" });
      server.registerTool("echo", {}, () => ({ content: [{ type: "text", text: "hello" }] }));
      const transport = new StreamableHTTPServerTransport({});
      response.on("close", () => void server.close());
      await server.connect(transport as Parameters<typeof server.connect>[0]);
      await transport.handleRequest(request, response, request.body);
    },
  );
  return { url: resourceServerUrl.href, provider };
}

describe("our client at a server of the official SDK", () => {
  it("registers, logs in, and refreshes", async () => {
    const { url, provider } = await serve();
    const login = loopbackLogin({ open: async (address) => void (await fetch(address)) });
    const client = await connect(url, { auth: oauth({ login }), hints: new Map() });
    onTestFinished(() => client.close());
    const call = () => client.tools.call("echo");
    expect((await call()).content).toEqual([{ type: "text", text: "hello" }]);
    expect(provider.resources).toEqual([url]);
    provider.endAccessTokens();
    await call();
    expect(provider.clients.size).toBe(1);
    expect(client.auth.explain().filter(({ step }) => step === "authorization")).toHaveLength(1);
  });
});
