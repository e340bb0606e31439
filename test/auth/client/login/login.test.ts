import { oauth } from "allspeak/auth";
import { connect } from "allspeak/client";
import { loopbackLogin } from "allspeak/node";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { connectFailure, connectWithOAuth, redirectUri } from "../../../support/auth/connect-with-oauth.ts";
import {
  defaultServerMetadata,
  type FakeOAuthServerOptions,
  startFakeOAuthServer,
} from "../../../support/auth/fake-oauth-server.ts";

const endless = () => new Promise<never>(() => {});

describe("logging in", () => {
  it("goes from the challenge to the token, and asks nothing twice", async () => {
    const world = await startFakeOAuthServer();
    const client = await connectWithOAuth(world);
    await client.tools.call("echo", {});
    expect(world.at("/.well-known/oauth-protected-resource/mcp")).toHaveLength(1);
    expect(world.at("/.well-known/oauth-authorization-server")).toHaveLength(1);
    expect(world.at("/register")).toHaveLength(1);
    expect(world.grants).toEqual(["authorization_code"]);
  });

  it.each([
    ["2026-07-28", ["2026-07-28"]],
    ["2025-03-26", ["2025-03-26"]],
  ] as const)(
    "tells the server during discovery that it speaks %s, and nobody else",
    async (expected, revisions) => {
      const world = await startFakeOAuthServer({ challenge: () => 'realm="mcp"' });
      await connectWithOAuth(world, {}, { revisions }).catch(() => {});
      const discovery = world.seen.filter(({ path }) => path.startsWith("/.well-known/"));
      const told = (where: string) =>
        new Set(
          discovery
            .filter((request) => request.where === where)
            .map(({ headers }) => headers["mcp-protocol-version"]),
        );
      expect(told("server")).toEqual(new Set([expected]));
      expect(told("issuer")).toEqual(new Set([undefined]));
    },
  );

  it("sends the resource byte for byte as the metadata writes it, in both requests", async () => {
    const world = await startFakeOAuthServer({
      resourceMetadata: ({ url, issuer }) => ({
        resource: new URL(url).origin,
        authorization_servers: [issuer],
      }),
    });
    await connectWithOAuth(world);
    const [asked] = world.at("/authorize");
    const query = new URLSearchParams(asked?.path.split("?")[1]);
    expect(query.get("resource")).toBe(new URL(world.url).origin);
    expect(world.at("/token")[0]?.body.resource).toBe(new URL(world.url).origin);
  });

  it("looks for the resource metadata at the path and at the root where the challenge names no place", async () => {
    const world = await startFakeOAuthServer({
      challenge: () => 'realm="mcp"',
      intercept: ({ path, where }, response, { url, issuer }) => {
        if (where !== "server" || !path.startsWith("/.well-known/")) return undefined;
        const isRoot = path === "/.well-known/oauth-protected-resource";
        response.writeHead(isRoot ? 200 : 404, { "content-type": "application/json" });
        response.end(JSON.stringify({ resource: url, authorization_servers: [issuer] }));
        return true;
      },
    });
    await connectWithOAuth(world);
    const asked = world.seen.filter(({ path }) => path.includes("protected-resource"));
    expect(asked.map(({ path }) => path)).toEqual([
      "/.well-known/oauth-protected-resource/mcp",
      "/.well-known/oauth-protected-resource",
    ]);
  });

  it.each([
    ["/.well-known/oauth-authorization-server/tenant"],
    ["/.well-known/openid-configuration/tenant"],
    ["/tenant/.well-known/openid-configuration"],
  ])("finds the metadata of an issuer with a path at %s", async (serverMetadataPath) => {
    const world = await startFakeOAuthServer({ issuerPath: "/tenant", serverMetadataPath });
    await connectWithOAuth(world);
    expect(world.grants).toEqual(["authorization_code"]);
  });

  it("chooses the authorization server that the host names, among several", async () => {
    const world = await startFakeOAuthServer({
      resourceMetadata: ({ url, issuer }) => ({
        resource: url,
        authorization_servers: ["https://first.example", issuer],
      }),
    });
    await connectWithOAuth(world, { issuer: world.issuer });
    expect(world.grants).toEqual(["authorization_code"]);
  });

  it("takes the host's word for the slash at the end of an issuer", async () => {
    const world = await startFakeOAuthServer({
      serverMetadata: (self) => ({ ...defaultServerMetadata(self), issuer: `${self.issuer}/` }),
    });
    expect(await connectFailure(world)).toMatchObject({ reason: "metadata" });
    await connectWithOAuth(world, { issuer: `${world.issuer}/` });
    expect(world.grants).toEqual(["authorization_code"]);
  });

  it("registers a native application that may refresh, where users come back to this machine", async () => {
    const world = await startFakeOAuthServer();
    await connectWithOAuth(world, { description: { name: "tester" } });
    expect(world.at("/register")[0]?.body).toMatchObject({
      client_name: "tester",
      redirect_uris: [redirectUri],
      grant_types: ["authorization_code", "refresh_token"],
      token_endpoint_auth_method: "none",
      application_type: "native",
    });
  });

  it("registers a web application where users come back to a site", async () => {
    const world = await startFakeOAuthServer();
    await connectWithOAuth(world, { redirectUri: "https://host.example/callback" });
    expect(world.at("/register")[0]?.body.application_type).toBe("web");
  });

  it("uses a client that is known beforehand before all else", async () => {
    const world = await startFakeOAuthServer({
      serverMetadata: (self) => ({
        ...defaultServerMetadata(self),
        client_id_metadata_document_supported: true,
      }),
    });
    const client = { id: "known", secret: "s3cret" };
    await connectWithOAuth(world, { client, clientMetadataUrl: "https://host.example/client.json" });
    expect(world.at("/register")).toEqual([]);
    expect(world.at("/token")[0]?.headers.authorization).toBe(`Basic ${btoa("known:s3cret")}`);
  });

  it("uses the document that describes it where the authorization server reads such documents", async () => {
    const world = await startFakeOAuthServer({
      serverMetadata: (self) => ({
        ...defaultServerMetadata(self),
        client_id_metadata_document_supported: true,
      }),
    });
    await connectWithOAuth(world, { clientMetadataUrl: "https://host.example/client.json" });
    expect(world.at("/register")).toEqual([]);
    expect(world.at("/token")[0]?.body.client_id).toBe("https://host.example/client.json");
  });

  it("registers in spite of such a document where the authorization server does not read it", async () => {
    const world = await startFakeOAuthServer();
    await connectWithOAuth(world, { clientMetadataUrl: "https://host.example/client.json" });
    expect(world.at("/register")).toHaveLength(1);
  });

  it("registers anew when the authorization server has forgotten it", async () => {
    let refusals = 1;
    const world = await startFakeOAuthServer({
      intercept: ({ path }, response) => {
        if (path !== "/token" || refusals-- <= 0) return undefined;
        response.writeHead(401, { "content-type": "application/json" });
        response.end('{"error":"invalid_client"}');
        return true;
      },
    });
    await connectWithOAuth(world);
    expect(world.at("/register")).toHaveLength(2);
  });

  it("reports why the registration failed", async () => {
    const world = await startFakeOAuthServer({
      intercept: ({ path }, response) => {
        if (path !== "/register") return undefined;
        response.writeHead(400, { "content-type": "application/json" });
        response.end('{"error":"invalid_redirect_uri","error_description":"only https"}');
        return true;
      },
    });
    expect(await connectFailure(world)).toMatchObject({
      reason: "registration",
      message: expect.stringContaining("invalid_redirect_uri: only https"),
    });
  });

  it("reports what to do where no registration is possible", async () => {
    const world = await startFakeOAuthServer({
      serverMetadata: (self) => ({ ...defaultServerMetadata(self), registration_endpoint: undefined }),
    });
    expect(await connectFailure(world)).toMatchObject({ code: "authorization", reason: "registration" });
  });

  it("does without resource metadata, as the first servers with authorization do", async () => {
    const world = await startFakeOAuthServer({ resourceMetadata: () => undefined, intercept: onOneOrigin });
    await connectWithOAuth(world);
    const granted = world.at("/token").filter(({ where }) => where === "server");
    expect(granted.map(({ body }) => body.grant_type)).toEqual(["authorization_code"]);
    expect(world.at("/.well-known/oauth-authorization-server")[0]?.where).toBe("server");
  });

  it("takes its time: no limit of opening counts while a user logs in", async () => {
    const world = await startFakeOAuthServer();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const authorize = async (url: URL) => {
      await vi.advanceTimersByTimeAsync(600_000);
      return world.authorize(url);
    };
    const client = await connectWithOAuth(world, { authorize });
    expect(client.server.revision).toBe("2026-07-28");
  });

  it("takes its time where only what follows the opening needs a token", async () => {
    const world = await startFakeOAuthServer({ isOpen: ({ method }) => method === "initialize" });
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const authorize = async (url: URL) => {
      await vi.advanceTimersByTimeAsync(600_000);
      return world.authorize(url);
    };
    const client = await connectWithOAuth(world, { authorize }, { revisions: ["2025-11-25"] });
    expect((await client.tools.call("echo", {})).isError).not.toBe(true);
    expect(world.at("/authorize")).toHaveLength(1);
  });

  it("fails with an error when the user takes too long", async () => {
    const world = await startFakeOAuthServer();
    const authorize = (_url: URL, signal: AbortSignal) =>
      new Promise<string>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    expect(await connectFailure(world, { authorize, loginMs: 50 })).toMatchObject({ reason: "login" });
  });

  it.each([
    ["authorize", { authorize: endless }],
    ["open of a login by loopback", { login: loopbackLogin({ open: endless }) }],
  ])("fails with an error when the user takes too long, even if %s never ends", async (_, way) => {
    const world = await startFakeOAuthServer();
    expect(await connectFailure(world, { ...way, loginMs: 50 })).toMatchObject({ reason: "login" });
  });

  it("stops the login when no caller waits for it any more", async () => {
    const world = await startFakeOAuthServer();
    const controller = new AbortController();
    let stopped: Promise<unknown> = Promise.resolve();
    const authorize = (_url: URL, signal: AbortSignal) => {
      stopped = new Promise((resolve) => signal.addEventListener("abort", resolve));
      controller.abort();
      return stopped.then(() => Promise.reject(new Error("stopped")));
    };
    await expect(connectWithOAuth(world, { authorize }, { signal: controller.signal })).rejects.toMatchObject(
      {
        code: "cancelled",
      },
    );
    await stopped;
  });

  it("logs in once for many calls at a time", async () => {
    const world = await startFakeOAuthServer();
    const client = await connectWithOAuth(world);
    world.endAccessTokens();
    world.refreshTokens.clear();
    await Promise.all(Array.from({ length: 20 }, () => client.tools.call("echo", {})));
    expect(world.at("/authorize")).toHaveLength(2);
  });

  it("serves several servers with one value, and shows each only its own token", async () => {
    const worlds = await Promise.all([startFakeOAuthServer(), startFakeOAuthServer()]);
    const byOrigin = new Map(worlds.map((world) => [new URL(world.issuer).origin, world]));
    const auth = oauth({
      redirectUri,
      authorize: async (url) => (await byOrigin.get(url.origin)?.authorize(url)) ?? "",
    });
    for (const world of worlds) {
      const client = await connect(world.url, { auth, hints: new Map() });
      await client.tools.call("echo", {});
      await client.close();
    }
    for (const world of worlds) {
      const shown = world.seen.flatMap(({ headers }) => headers.authorization?.slice("Bearer ".length) ?? []);
      expect(shown.every((token) => world.accessTokens.has(token))).toBe(true);
    }
  });

  it("deletes the tokens of a server on forget", async () => {
    const world = await startFakeOAuthServer();
    const auth = oauth({ authorize: world.authorize, redirectUri });
    const client = await connect(world.url, { auth, hints: new Map() });
    onTestFinished(() => client.close());
    await auth.forget(world.url);
    await client.tools.call("echo", {});
    expect(world.grants).toEqual(["authorization_code", "authorization_code"]);
  });
});

/** Makes the server its own authorization server, without metadata. */
const onOneOrigin: NonNullable<FakeOAuthServerOptions["intercept"]> = (seen, response, world) => {
  if (seen.where !== "server" || seen.path.startsWith("/mcp") || seen.path.startsWith("/.well-known/"))
    return undefined;
  void world.answer({ ...seen, where: "issuer" }, response);
  return true;
};
