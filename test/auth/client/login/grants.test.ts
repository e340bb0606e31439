import { createServer, scopes } from "allspeak";
import {
  bearer,
  clientCredentials,
  enterpriseManaged,
  type Grant,
  memoryCredentialStore,
  oauth,
  staticToken,
  workloadIdentity,
} from "allspeak/auth";
import { type ClientAuth, connect } from "allspeak/client";
import { serveHttp } from "allspeak/node";
import { describe, expect, it, onTestFinished } from "vitest";
import { connectFailure, connectWithOAuth } from "../../../support/auth/connect-with-oauth.ts";
import {
  defaultServerMetadata,
  type FakeOAuthServer,
  startFakeOAuthServer,
} from "../../../support/auth/fake-oauth-server.ts";
import { openHttp } from "../../../support/http/open-http.ts";
import { done, ScriptedHttp, sessionScript } from "../../../support/http/scripted-http.ts";

const jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const exchange = "urn:ietf:params:oauth:grant-type:token-exchange";
const idJag = "urn:ietf:params:oauth:token-type:id-jag";

/** An authorization server that takes assertions, and an identity provider at the same place that makes them. */
function takingAssertions(refuse = false) {
  return startFakeOAuthServer({
    intercept: ({ path, body }, response, world) => {
      const grant = path === "/token" ? body.grant_type : undefined;
      if (grant !== jwtBearer && grant !== exchange) return undefined;
      const token = "by-assertion";
      world.accessTokens.set(token, { family: "none", scopes: [] });
      const granted =
        grant === exchange
          ? { access_token: "the-id-jag", token_type: "N_A", issued_token_type: idJag }
          : { access_token: token, token_type: "Bearer", expires_in: 60 };
      response.writeHead(refuse ? 400 : 200, { "content-type": "application/json" });
      response.end(JSON.stringify(refuse ? { error: "invalid_grant" } : granted));
      return true;
    },
  });
}

const client = { id: "robot", secret: "s3cret" };

describe("client credentials", () => {
  it("are exchanged again, without a refresh token, when the token has ended", async () => {
    const world = await startFakeOAuthServer({ issuesRefreshTokens: false });
    const robot = await connectWithOAuth(world, { grant: clientCredentials(), client });
    world.endAccessTokens();
    await robot.tools.call("echo", {});
    expect(world.grants).toEqual(["client_credentials", "client_credentials"]);
    expect(world.at("/token")[0]?.body.resource).toBe(world.url);
  });

  it("of two clients that share a store give each its own token, and a user a third", async () => {
    const world = await startFakeOAuthServer();
    const store = memoryCredentialStore();
    const grant = clientCredentials();
    const clients = [
      await connectWithOAuth(world, { store, grant, client: { id: "one", secret: "s" } }),
      await connectWithOAuth(world, { store, grant, client: { id: "two", secret: "s" } }),
      await connectWithOAuth(world, { store, client: { id: "two", secret: "s" } }),
    ];
    const shown = new Set<string | undefined>();
    for (const each of clients) {
      await each.tools.call("echo", {});
      shown.add(world.at("/mcp").at(-1)?.headers.authorization);
    }
    expect(shown.size).toBe(3);
    expect(world.grants).toEqual(["client_credentials", "client_credentials", "authorization_code"]);
  });

  it("are sent in the body where the authorization server requires it", async () => {
    const world = await startFakeOAuthServer({
      serverMetadata: (self) => ({
        ...defaultServerMetadata(self),
        token_endpoint_auth_methods_supported: ["client_secret_post"],
      }),
      intercept: ({ path, body }, response, { accessTokens }) => {
        if (path !== "/token") return undefined;
        accessTokens.set("posted", { family: "none", scopes: [] });
        const isRight = body.client_id === "robot" && body.client_secret === "s3cret";
        response.writeHead(isRight ? 200 : 401, { "content-type": "application/json" });
        response.end('{"access_token":"posted","token_type":"bearer"}');
        return true;
      },
    });
    await connectWithOAuth(world, { grant: clientCredentials(), client });
    expect(world.at("/token")[0]?.headers.authorization).toBeUndefined();
  });

  it.each([
    ["a:b c/ü", "s+%&=:é"],
    ["plain-id_1.x*", "~secret"],
  ])("survive odd characters (%s)", async (id, secret) => {
    const world = await startFakeOAuthServer();
    await connectWithOAuth(world, { grant: clientCredentials(), client: { id, secret } });
    const sent = atob(world.at("/token")[0]?.headers.authorization?.slice("Basic ".length) ?? "").split(":");
    expect(sent.map((part) => new URLSearchParams(`v=${part}`).get("v"))).toEqual([id, secret]);
  });
});

describe("an assertion", () => {
  it("of the platform is exchanged for a token, made for the authorization server", async () => {
    const world = await takingAssertions();
    const audiences: string[] = [];
    const grant = workloadIdentity({
      assertion: (audience) => {
        audiences.push(audience);
        return "workload-jwt";
      },
    });
    await connectWithOAuth(world, { grant, client: { id: "workload" } });
    expect(audiences).toEqual([world.issuer]);
    expect(world.at("/token")[0]?.body).toMatchObject({ grant_type: jwtBearer, assertion: "workload-jwt" });
  });

  it("that is refused is not sent again, and nothing else is tried", async () => {
    const world = await takingAssertions(true);
    const grant = workloadIdentity({ assertion: () => "workload-jwt" });
    expect(await connectFailure(world, { grant, client: { id: "workload" } })).toMatchObject({
      reason: "refused",
    });
    expect(world.grants).toEqual([jwtBearer]);
  });

  it("needs no client where the server has no registration", async () => {
    const world = await takingAssertions();
    world.options.serverMetadata = (self) => ({
      ...defaultServerMetadata(self),
      registration_endpoint: undefined,
    });
    await connectWithOAuth(world, { grant: workloadIdentity({ assertion: () => "workload-jwt" }) });
    expect(world.at("/token")[0]?.body).not.toHaveProperty("client_id");
  });

  it("of the company is got with the ID token first", async () => {
    const world = await takingAssertions();
    const grant = enterpriseManaged({
      identityProvider: { issuer: world.issuer, client: { id: "at-idp" } },
      idToken: () => "the-id-token",
    });
    await connectWithOAuth(world, { grant, client });
    const [first, second] = world.at("/token").map(({ body }) => body);
    expect(first).toMatchObject({
      grant_type: exchange,
      requested_token_type: idJag,
      audience: world.issuer,
      resource: world.url,
      subject_token: "the-id-token",
      subject_token_type: "urn:ietf:params:oauth:token-type:id_token",
      client_id: "at-idp",
    });
    expect(second).toMatchObject({ grant_type: jwtBearer, assertion: "the-id-jag" });
    expect(world.at("/token")[1]?.headers.authorization).toBe(`Basic ${btoa("robot:s3cret")}`);
  });
});

describe("other ways in", () => {
  async function open(world: FakeOAuthServer, auth: ClientAuth) {
    const opened = await connect(world.url, { auth, hints: new Map() });
    onTestFinished(() => opened.close());
    return opened;
  }

  it("a static token is sent unchanged", async () => {
    const world = await startFakeOAuthServer();
    world.accessTokens.set("mine", { family: "none", scopes: [] });
    await (await open(world, staticToken("mine"))).tools.call("echo", {});
    await (
      await open(
        world,
        staticToken(async () => "mine"),
      )
    ).tools.call("echo", {});
    expect(world.seen.every(({ path }) => path === "/mcp")).toBe(true);
  });

  it("a token goes with every request of a session: its stream, its answers and its end, too", async () => {
    const server = await ScriptedHttp.start(
      sessionScript("2025-11-25", {
        "tools/call": (visit) => {
          visit.stream().event({ id: "p", method: "ping" });
          void server.saw("answer").then(() => visit.finish(done));
        },
      }),
    );
    const { client } = await openHttp(server, { auth: staticToken("mine") });
    await server.saw("GET");
    await client.tools.call("a");
    await client.close();
    await server.saw("DELETE");
    expect(server.visits.length).toBeGreaterThan(5);
    const without = server.visits.filter(({ headers }) => headers.authorization !== "Bearer mine");
    expect(without.map(({ what }) => what)).toEqual([]);
  });

  it("a token that the server refuses is an error with its status", async () => {
    const world = await startFakeOAuthServer();
    await expect(open(world, staticToken("wrong"))).rejects.toMatchObject({ code: "http", status: 401 });
  });

  it("a server that wants credentials gets an error that says how to log in", async () => {
    const world = await startFakeOAuthServer();
    const opening = connect(world.url, { hints: new Map() });
    await expect(opening).rejects.toThrow(/auth: oauth\(\)/);
    await expect(opening).rejects.toMatchObject({ code: "http", status: 401 });
  });

  it("a token without the scopes that a call needs is an error that names them", async () => {
    const server = createServer({ name: "orders", version: "1" });
    server.tool("order", { access: scopes("orders:write") }, () => "ordered");
    server.tool("look", {}, () => "looked");
    const running = await serveHttp(server, {
      auth: bearer({
        audience: "orders",
        verify: () => ({ sub: "alice", aud: "orders", scope: "orders:read" }),
      }),
    });
    onTestFinished(() => running.close(0));
    for (const revision of ["2026-07-28", "2025-11-25"] as const) {
      const client = await connect(running.url, { auth: staticToken("mine"), revisions: [revision] });
      onTestFinished(() => client.close());
      await expect(client.tools.call("order")).rejects.toMatchObject({
        code: "insufficient-scope",
        scopes: ["orders:write"],
        message: expect.stringContaining("orders:write"),
      });
      expect((await client.tools.call("look")).isError).not.toBe(true);
    }
  });

  it("a token is not sent where others could read it", async () => {
    const auth = staticToken("mine");
    const opening = connect("http://public.example/mcp", {
      auth,
      fetch: () => Promise.reject(new Error("sent")),
      hints: new Map(),
    });
    await expect(opening).rejects.toMatchObject({ reason: "unsafe-address" });
  });

  it("a provider of the host's own decides by itself", async () => {
    const world = await startFakeOAuthServer();
    let token = "first";
    world.accessTokens.set("second", { family: "none", scopes: [] });
    const auth: ClientAuth = {
      authorize: () => ({ authorization: `Bearer ${token}` }),
      onResponse: async ({ status }, { attempt }) => {
        if (status !== 401 || attempt > 0) return "keep";
        token = "second";
        return "retry";
      },
    };
    await (await open(world, auth)).tools.call("echo", {});
    expect(world.at("/mcp")[0]?.headers.authorization).toBe("Bearer first");
  });

  it("a provider that is never content does not keep the client busy for ever", async () => {
    const world = await startFakeOAuthServer();
    const auth: ClientAuth = { authorize: () => ({}), onResponse: () => "retry" };
    await expect(open(world, auth)).rejects.toMatchObject({ code: "http", status: 401 });
    expect(world.at("/mcp").length).toBeLessThan(50);
  });

  it("a grant of the host's own gets all that the others get", async () => {
    const world = await startFakeOAuthServer();
    world.accessTokens.set("own", { family: "none", scopes: [] });
    const grant: Grant = {
      types: ["urn:example:own"],
      wantsRefresh: false,
      async obtain(request) {
        const identity = await request.identify();
        expect(request).toMatchObject({ resource: world.url, server: { issuer: world.issuer } });
        return { identity, tokens: { access_token: "own", token_type: "bearer" as const } };
      },
    };
    await (await connectWithOAuth(world, { grant })).tools.call("echo", {});
    expect(world.at("/register")[0]?.body.grant_types).toEqual(["urn:example:own"]);
  });
});

describe("options", () => {
  it.each([
    [{ authorize: async () => "" }, "redirectUri"],
    [{ redirectUri: "http://127.0.0.1:9/" }, "redirectUri"],
    [{ grant: clientCredentials(), login: () => ({}) as never }, "give only one"],
    [{ clientMetadataUrl: "http://host.example/client.json" }, "https URL with a path"],
    [{ clientMetadataUrl: "https://host.example/" }, "https URL with a path"],
    [{ clientMetadataUrl: "https://host.example/a/../client.json" }, "https URL with a path"],
    [{ clientMetadataUrl: "https://me@host.example/client.json" }, "https URL with a path"],
    [{ clientMetadataUrl: "https://host.example/client.json#" }, "https URL with a path"],
  ])("that are invalid are refused at once", (options, why) => {
    expect(() => oauth({ store: memoryCredentialStore(), ...options })).toThrow(why);
  });
});
