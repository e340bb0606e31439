// Our client logs in to our server, at an authorization server that nobody here wrote.
import { createServer, scopes, tool } from "allspeak";
import { bearer, clientCredentials, oauth } from "allspeak/auth";
import { connect } from "allspeak/client";
import { serveHttp } from "allspeak/node";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { followRedirects } from "../../support/auth/follow-redirects.ts";
import { type OidcProvider, startOidcProvider } from "../../support/auth/oidc-provider.ts";

const redirectUri = "http://127.0.0.1:9/callback";
const read = tool("read", {}, (_, ctx) => `read by ${ctx.principal?.client}`);
const write = tool("write", { access: scopes("orders:write") }, () => "written");

let provider: OidcProvider;
beforeAll(async () => {
  provider = await startOidcProvider();
});
afterAll(() => provider.close());

async function serve(options: Partial<Parameters<typeof bearer>[0]> = {}): Promise<string> {
  const server = createServer({ name: "orders", version: "1", tools: [read, write] });
  const auth = bearer({ issuer: provider.issuer, scopes: ["orders:read"], ...options });
  const running = await serveHttp(server, { auth });
  onTestFinished(() => running.close());
  return running.url;
}

async function enter(url: string, options: Parameters<typeof oauth>[0] = {}) {
  const login = { redirectUri, authorize: (address: URL) => followRedirects(address, redirectUri) };
  const auth = oauth({ ...(options.grant ? {} : login), ...options });
  const client = await connect(url, { auth, hints: new Map() });
  onTestFinished(() => client.close());
  return client;
}

const text = (result: { content?: unknown }) => (result.content as { text: string }[])[0]?.text;

describe("our client at oidc-provider", { timeout: 60_000 }, () => {
  it("registers, logs in, and steps up", async () => {
    const client = await enter(await serve());
    expect(text(await client.tools.call("read"))).toMatch(/^read by ./);
    expect(text(await client.request("tools/call", { name: "write", arguments: {} }))).toBe("written");
  });

  it("proves its key", async () => {
    const client = await enter(await serve({ dpop: { required: true } }));
    expect(text(await client.tools.call("read"))).toMatch(/^read by ./);
    expect(client.auth.explain().some(({ detail }) => detail === "token type dpop")).toBe(true);
  });

  it("acts for itself", async () => {
    const client = { id: "alice", secret: "alice-secret" };
    const robot = await enter(await serve(), { grant: clientCredentials(), client });
    expect(text(await robot.tools.call("read"))).toBe("read by alice");
  });
});
