// A client that nobody here wrote logs in to our server, at an authorization server that nobody here wrote.
import {
  Client,
  DpopSession,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  SSEClientTransport,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { createServer, scopes, tool } from "allspeak";
import { bearer, type DpopOptions } from "allspeak/auth";
import { serveHttp } from "allspeak/node";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { followRedirects } from "../../support/auth/follow-redirects.ts";
import { type OidcProvider, startOidcProvider } from "../../support/auth/oidc-provider.ts";
import { pin } from "../official-v2-client.ts";

let provider: OidcProvider;
beforeAll(async () => {
  provider = await startOidcProvider();
});
afterAll(() => provider.close());

const callback = "http://127.0.0.1:9/callback";

/** What the official client needs to keep, and the address that it wants its user to visit. */
class Login implements OAuthClientProvider {
  readonly redirectUrl = callback;
  readonly clientMetadata = {
    client_name: "official",
    redirect_uris: [callback],
    application_type: "native" as const,
    token_endpoint_auth_method: "none",
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
  };
  readonly asked: URL[] = [];
  #client: StoredOAuthClientInformation | undefined;
  #tokens: StoredOAuthTokens | undefined;
  #verifier = "";
  #discovery: OAuthDiscoveryState | undefined;

  /** Without a client that is known already it registers one. */
  constructor(client?: StoredOAuthClientInformation, dpop?: DpopSession) {
    this.#client = client;
    this.dpop = () => dpop;
  }

  readonly dpop: () => DpopSession | undefined;

  clientInformation = () => this.#client;
  saveClientInformation = (client: StoredOAuthClientInformation) => {
    this.#client = client;
  };
  tokens = () => this.#tokens;
  saveTokens = (tokens: StoredOAuthTokens) => {
    this.#tokens = tokens;
  };
  redirectToAuthorization = (url: URL) => void this.asked.push(url);
  saveCodeVerifier = (verifier: string) => {
    this.#verifier = verifier;
  };
  codeVerifier = () => this.#verifier;
  saveDiscoveryState = (discovery: OAuthDiscoveryState) => {
    this.#discovery = discovery;
  };
  discoveryState = () => this.#discovery;
}

const server = createServer({
  name: "protected",
  version: "1",
  tools: [
    tool("whoami", {}, (_, { principal }) => `${principal?.subject}: ${principal?.scopes?.join(" ")}`),
    tool("order", { access: scopes("orders:write") }, () => "ordered"),
  ],
});

async function serve(dpop: DpopOptions = {}): Promise<string> {
  const auth = bearer({ issuer: provider.issuer, scopes: ["orders:read"], dpop });
  const running = await serveHttp(server, { auth });
  onTestFinished(() => running.close(0));
  return running.url;
}

describe.each(["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"])(
  "the official client in %s",
  (revision) => {
    it("finds out where to log in, logs in, and steps up when a tool needs more", async () => {
      const url = new URL(await serve());
      const login = new Login({ client_id: "app", issuer: provider.issuer });
      const open = async () => {
        const transport = new StreamableHTTPClientTransport(url, { authProvider: login });
        const client = new Client({ name: "official", version: "1" }, pin(revision));
        onTestFinished(() => client.close());
        return { client, transport };
      };
      const finish = async (transport: StreamableHTTPClientTransport) => {
        const answer = await followRedirects(login.asked.at(-1) ?? "", callback);
        await transport.finishAuth(answer.searchParams);
      };

      const first = await open();
      await expect(first.client.connect(first.transport)).rejects.toThrow(/[Uu]nauthorized/);
      expect(login.asked.at(-1)?.searchParams.get("resource")).toBe(url.href);
      expect(login.asked.at(-1)?.searchParams.get("scope")?.split(" ")).toContain("orders:read");
      await finish(first.transport);

      const { client, transport } = await open();
      await client.connect(transport);
      expect(await client.callTool({ name: "whoami" })).toMatchObject({
        content: [{ text: "alice: orders:read" }],
      });

      await expect(client.callTool({ name: "order" })).rejects.toThrow();
      expect(login.asked.at(-1)?.searchParams.get("scope")?.split(" ")).toEqual(
        expect.arrayContaining(["orders:read", "orders:write"]),
      );
      await finish(transport);
      expect(await client.callTool({ name: "order" })).toMatchObject({ content: [{ text: "ordered" }] });
    });
  },
);

describe("the official client over HTTP+SSE", () => {
  it("finds out where to log in, and logs in", async () => {
    const url = new URL("/sse", await serve());
    const login = new Login();
    const open = () => ({
      client: new Client({ name: "official", version: "1" }, pin("2024-11-05")),
      transport: new SSEClientTransport(url, { authProvider: login }),
    });
    const first = open();
    await expect(first.client.connect(first.transport)).rejects.toThrow(/[Uu]nauthorized/);
    expect(login.asked.at(-1)?.searchParams.get("resource")).toBe(url.href);
    await first.transport.finishAuth(
      (await followRedirects(login.asked.at(-1) ?? "", callback)).searchParams,
    );

    const { client, transport } = open();
    onTestFinished(() => client.close());
    await client.connect(transport);
    expect(await client.callTool({ name: "whoami" })).toMatchObject({
      content: [{ text: "alice: orders:read" }],
    });
  });
});

describe("the official client with tokens that are bound to its key", () => {
  it.each(["2025-11-25", "2026-07-28"])(
    "logs in, and proves that it has the key, in %s",
    async (revision) => {
      const url = new URL(await serve({ required: true, nonces: true }));
      const login = new Login({ client_id: "app", issuer: provider.issuer }, await DpopSession.create());
      const open = () => ({
        client: new Client({ name: "official", version: "1" }, pin(revision)),
        transport: new StreamableHTTPClientTransport(url, { authProvider: login }),
      });
      const first = open();
      await expect(first.client.connect(first.transport)).rejects.toThrow(/[Uu]nauthorized/);
      await first.transport.finishAuth(
        (await followRedirects(login.asked.at(-1) ?? "", callback)).searchParams,
      );
      expect(login.tokens()).toMatchObject({ token_type: "DPoP" });

      const { client, transport } = open();
      onTestFinished(() => client.close());
      await client.connect(transport);
      for (let time = 0; time < 3; time++) {
        expect(await client.callTool({ name: "whoami" })).toMatchObject({
          content: [{ text: "alice: orders:read" }],
        });
      }
    },
  );
});
