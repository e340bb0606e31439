import { memoryCredentialStore, oauth } from "allspeak/auth";
import { connect } from "allspeak/client";
import { describe, expect, it, onTestFinished } from "vitest";
import { connectWithOAuth, redirectUri } from "../../support/auth/connect-with-oauth.ts";
import { type FakeOAuthServer, startFakeOAuthServer } from "../../support/auth/fake-oauth-server.ts";

function call(client: Awaited<ReturnType<typeof connectWithOAuth>>) {
  return client.tools.call("echo", {});
}

/** Lets the token endpoint fail as the network does, until the returned function is called. */
function troubled(how: "cut" | number) {
  let inTrouble = false;
  return {
    begin: () => {
      inTrouble = true;
    },
    end: () => {
      inTrouble = false;
    },
    intercept: (seen: { path: string }, response: import("node:http").ServerResponse) => {
      if (!inTrouble || seen.path !== "/token") return undefined;
      if (how === "cut") response.destroy();
      else response.writeHead(how, { "content-type": "text/html" }).end("<p>later</p>");
      return true;
    },
  };
}

describe("refreshing", () => {
  it("refreshes a token that the server no longer accepts, without a login", async () => {
    const world = await startFakeOAuthServer();
    const client = await connectWithOAuth(world);
    world.endAccessTokens();
    await call(client);
    expect(world.grants).toEqual(["authorization_code", "refresh_token"]);
  });

  it("refreshes an expired token before it is sent", async () => {
    const world = await startFakeOAuthServer({ expiresIn: 0 });
    const client = await connectWithOAuth(world);
    const refused = () => world.seen.filter(({ path, headers }) => path === "/mcp" && !headers.authorization);
    const before = refused().length;
    await call(client);
    expect(world.grants.at(-1)).toBe("refresh_token");
    expect(refused()).toHaveLength(before);
  });

  it("authenticates a preregistered client whose tokens an earlier release has stored", async () => {
    const world = await startFakeOAuthServer({ expiresIn: 0 });
    const store = memoryCredentialStore();
    const client = { id: "registered-by-hand", secret: "s3cret" };
    const earlier = {
      ...store,
      get: async (key: string) => (await store.get(key))?.replace('"preregistered"', '"known"'),
    };
    await call(await connectWithOAuth(world, { client, store: earlier }));
    expect(world.grants.at(-1)).toBe("refresh_token");
    const basic = `Basic ${btoa("registered-by-hand:s3cret")}`;
    expect(world.at("/token").at(-1)?.headers.authorization).toBe(basic);
  });

  it("sends the resource and the client's id with it", async () => {
    const world = await startFakeOAuthServer();
    const client = await connectWithOAuth(world);
    world.endAccessTokens();
    await call(client);
    const [id] = world.registered.keys();
    expect(world.at("/token").at(-1)?.body).toMatchObject({ resource: world.url, client_id: id });
  });

  it("keeps a refresh token that does not rotate", async () => {
    const world = await startFakeOAuthServer({ rotates: false });
    const client = await connectWithOAuth(world);
    for (let round = 0; round < 3; round++) {
      world.endAccessTokens();
      await call(client);
    }
    expect(world.grants).toEqual(["authorization_code", "refresh_token", "refresh_token", "refresh_token"]);
  });

  it("happens once for 50 calls at a time, so that a rotating token is never used twice", async () => {
    const world = await startFakeOAuthServer();
    const client = await connectWithOAuth(world);
    for (let round = 0; round < 3; round++) {
      world.endAccessTokens();
      await Promise.all(Array.from({ length: 50 }, () => call(client)));
    }
    expect(world.grants.filter((grant) => grant === "refresh_token")).toHaveLength(3);
    expect(world.reuses).toBe(0);
    expect(world.at("/authorize")).toHaveLength(1);
  });

  it("happens once for two clients that share a store", async () => {
    const world = await startFakeOAuthServer();
    const store = memoryCredentialStore();
    const clients = [await connectWithOAuth(world, { store }), await connectWithOAuth(world, { store })];
    world.endAccessTokens();
    await Promise.all(clients.flatMap((client) => Array.from({ length: 10 }, () => call(client))));
    expect(world.at("/authorize")).toHaveLength(1);
    expect(world.grants.filter((grant) => grant === "refresh_token")).toHaveLength(1);
    expect(world.reuses).toBe(0);
  });

  it("leads to a login when it is refused", async () => {
    const world = await startFakeOAuthServer();
    const client = await connectWithOAuth(world);
    world.endAccessTokens();
    world.refreshTokens.clear();
    await call(client);
    expect(world.grants).toEqual(["authorization_code", "refresh_token", "authorization_code"]);
  });

  it("looks into the store before it believes a refusal: another process may have been first", async () => {
    const store = memoryCredentialStore();
    let kept = { key: "", value: "" };
    const watched = {
      ...store,
      set: (key: string, value: string) => {
        if (key.startsWith('["tokens"')) kept = { key, value };
        return store.set(key, value);
      },
    };
    const world = await startFakeOAuthServer({
      intercept: ({ path, body }, response, { accessTokens }) => {
        if (path !== "/token" || body.grant_type !== "refresh_token") return undefined;
        const tokens = { ...JSON.parse(kept.value), accessToken: "of-the-other", refreshToken: "next" };
        accessTokens.set("of-the-other", { family: "same", scopes: [] });
        void store.set(kept.key, JSON.stringify(tokens));
        response.writeHead(400, { "content-type": "application/json" }).end('{"error":"invalid_grant"}');
        return true;
      },
    });
    const client = await connectWithOAuth(world, { store: watched });
    world.endAccessTokens();
    await call(client);
    expect(world.at("/authorize")).toHaveLength(1);
    expect(world.at("/mcp").at(-1)?.headers.authorization).toBe("Bearer of-the-other");
  });

  it.each(["cut", 500, 503] as const)(
    "deletes nothing when the token endpoint is in trouble (%s)",
    async (how) => {
      const trouble = troubled(how);
      const world = await startFakeOAuthServer({ intercept: trouble.intercept });
      const client = await connectWithOAuth(world);
      world.endAccessTokens();
      trouble.begin();
      await expect(call(client)).rejects.toMatchObject({ code: "authorization", reason: "unreachable" });
      trouble.end();
      await call(client);
      expect(world.at("/authorize")).toHaveLength(1);
    },
  );

  it("finishes though the call that needed it was given up, so that the new token is not lost", async () => {
    const controller = new AbortController();
    const world: FakeOAuthServer = await startFakeOAuthServer({
      intercept: ({ path, body }) => {
        if (path === "/token" && body.grant_type === "refresh_token") controller.abort();
        return undefined;
      },
    });
    const client = await connectWithOAuth(world);
    world.endAccessTokens();
    await expect(client.tools.call("echo", {}, { signal: controller.signal })).rejects.toMatchObject({
      code: "cancelled",
    });
    await call(client);
    expect(world.reuses).toBe(0);
    expect(world.at("/authorize")).toHaveLength(1);
  });

  it("is tried again before a login when a token that was kept from before is refused", async () => {
    const world = await startFakeOAuthServer();
    const store = memoryCredentialStore();
    const first = await connectWithOAuth(world, { store });
    await first.close();
    world.endAccessTokens();
    const auth = oauth({ store, authorize: world.authorize, redirectUri });
    const second = await connect(world.url, { auth, hints: new Map() });
    onTestFinished(() => second.close());
    await call(second);
    expect(world.grants).toEqual(["authorization_code", "refresh_token"]);
  });

  it("is of no use against a server that refuses every token, which ends in an error and not in a loop", async () => {
    const world = await startFakeOAuthServer();
    const client = await connectWithOAuth(world);
    world.options.intercept = ({ path }, response) =>
      path === "/mcp" ? world.challenge(response, 401, 'error="invalid_token"') : undefined;
    await expect(call(client)).rejects.toMatchObject({ code: "authorization", reason: "refused" });
    expect(world.at("/authorize").length).toBeLessThanOrEqual(2);
  });
});
