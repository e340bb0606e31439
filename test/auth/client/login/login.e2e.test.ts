// Our client logs in to our server, by the authorization server for development.
import { createServer, scopes, tool } from "allspeak";
import { bearer, clientCredentials, deviceCode, type OAuthOptions, oauth } from "allspeak/auth";
import { type DevAuthOptions, serveDevAuth } from "allspeak/auth/dev";
import { type ConnectOptions, connect } from "allspeak/client";
import { loopbackLogin, serveHttp } from "allspeak/node";
import { exportJWK, exportPKCS8, generateKeyPair } from "jose";
import { describe, expect, it, onTestFinished, vi } from "vitest";

const read = tool("read", {}, (_, ctx) => `read by ${ctx.principal?.subject}`);
const write = tool("write", { access: scopes("notes:write") }, () => "written");

async function serve(dev: DevAuthOptions = {}, options: Partial<Parameters<typeof bearer>[0]> = {}) {
  const authority = await serveDevAuth({
    scopes: ["notes:read", "notes:write"],
    autoApprove: true,
    log: () => {},
    ...dev,
  });
  onTestFinished(() => authority.close());
  const server = createServer({ name: "notes", version: "1", tools: [read, write] });
  const { issuer } = authority;
  const running = await serveHttp(server, {
    auth: bearer({ issuer, scopes: ["notes:read"], optionalScopes: ["notes:write"], ...options }),
  });
  onTestFinished(() => running.close());
  return { url: running.url, issuer };
}

/** A browser that follows redirects, the last one to whoever listens on loopback. */
async function visit(url: URL): Promise<void> {
  const response = await fetch(url);
  const page = await response.text();
  if (response.status !== 200)
    throw new Error(`${response.url} was answered with ${response.status}: ${page}`);
}

async function enter(url: string, options: OAuthOptions = {}, revisions?: ConnectOptions["revisions"]) {
  const login = options.grant ? {} : { login: loopbackLogin({ open: visit }) };
  const auth = oauth({ ...login, ...options });
  const client = await connect(url, { auth, hints: new Map(), ...(revisions && { revisions }) });
  onTestFinished(() => client.close());
  return client;
}

const text = (result: { content: readonly unknown[] }) => (result.content[0] as { text: string }).text;

describe("our client", () => {
  it.each(["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"] as const)(
    "logs in by a listener on loopback in %s",
    async (revision) => {
      const { url } = await serve();
      const client = await enter(url, {}, [revision]);
      expect(client.server.revision).toBe(revision);
      expect(text(await client.tools.call("read"))).toBe("read by dev");
    },
  );

  it("logs in over HTTP+SSE", async () => {
    const { url } = await serve();
    const client = await enter(new URL("/sse", url).href, {}, ["2024-11-05"]);
    expect(text(await client.tools.call("read"))).toBe("read by dev");
    expect(client.auth.explain().filter(({ step }) => step === "authorization")).toHaveLength(1);
  });

  it("steps up for a tool that needs more", async () => {
    const { url } = await serve();
    const client = await enter(url);
    expect(text((await client.request("tools/call", { name: "write", arguments: {} })) as never)).toBe(
      "written",
    );
    expect(client.auth.explain().map(({ step }) => step)).toContain("step-up");
  });

  it.each([[{}], [{ nonce: true }]])("proves its key where the server wants it (%j)", async (wish) => {
    const { url } = await serve(
      { dpop: { required: true, ...wish } },
      { dpop: { required: true, ...wish } as never },
    );
    const client = await enter(url);
    expect(text(await client.tools.call("read"))).toBe("read by dev");
    expect(client.auth.explain().some(({ detail }) => detail === "token type dpop")).toBe(true);
  });

  it("refreshes a token each time it has expired, without another login", async () => {
    const { url } = await serve({ accessTokenSeconds: 60 }, { clockSkew: 0 });
    const client = await enter(url);
    const count = (wanted: string) =>
      client.auth.explain().filter(({ step, outcome }) => step === wanted && outcome === "ok").length;
    onTestFinished(() => void vi.useRealTimers());
    vi.useFakeTimers({ toFake: ["Date"] });
    for (const refreshes of [1, 2]) {
      vi.setSystemTime(Date.now() + 61_000);
      expect(text(await client.tools.call("read"))).toBe("read by dev");
      expect(count("refresh")).toBe(refreshes);
    }
    expect(client.auth.explain().filter(({ step }) => step === "authorization")).toHaveLength(1);
  });

  it("acts for itself with a secret", async () => {
    const clients = [{ client_id: "robot", client_secret: "s3cret", grant_types: ["client_credentials"] }];
    const { url } = await serve({ clients });
    const client = await enter(url, {
      grant: clientCredentials(),
      client: { id: "robot", secret: "s3cret" },
    });
    expect(text(await client.tools.call("read"))).toContain("robot");
  });

  it("acts for itself with a key", async () => {
    const { publicKey, privateKey } = await generateKeyPair("ES256", { extractable: true });
    const jwk = { ...(await exportJWK(publicKey)), alg: "ES256" };
    const clients = [
      {
        client_id: "robot",
        token_endpoint_auth_method: "private_key_jwt" as const,
        grant_types: ["client_credentials"],
        jwks: { keys: [jwk] },
      },
    ];
    const { url } = await serve({ clients });
    const client = { id: "robot", privateKey: await exportPKCS8(privateKey) };
    const robot = await enter(url, { grant: clientCredentials(), client });
    expect(text(await robot.tools.call("read"))).toContain("robot");
  });

  it("logs in on another device", async () => {
    const { url } = await serve({ deviceIntervalSeconds: 0.01 });
    const shown: string[] = [];
    const grant = deviceCode({
      show: async ({ userCode, completeUrl, url: place }) => {
        shown.push(userCode);
        await visit(new URL(completeUrl ?? place));
      },
    });
    const client = await enter(url, { grant });
    expect(shown).toHaveLength(1);
    expect(text(await client.tools.call("read"))).toBe("read by dev");
  });
});
