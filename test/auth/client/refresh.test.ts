import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type CredentialStore, memoryCredentialStore, oauth } from "allspeak/auth";
import { connect } from "allspeak/client";
import { fileCredentialStore } from "allspeak/node";
import { describe, expect, it, onTestFinished } from "vitest";
import { connectWithOAuth, redirectUri } from "../../support/auth/connect-with-oauth.ts";
import { type FakeOAuthServer, startFakeOAuthServer } from "../../support/auth/fake-oauth-server.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";

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

  it("holds tokens that the store does not take, and stores them when it works again", async () => {
    const world = await startFakeOAuthServer();
    const memory = memoryCredentialStore();
    let isFull = false;
    const store: CredentialStore = {
      ...memory,
      set: async (key, value) => {
        if (isFull) throw new Error("ENOSPC");
        await memory.set(key, value);
      },
    };
    const client = await connectWithOAuth(world, { store });
    isFull = true;
    world.endAccessTokens();
    await call(client);
    expect(client.auth.explain().at(-1)).toMatchObject({ step: "store", outcome: "failed" });
    isFull = false;
    world.endAccessTokens();
    await call(client);
    expect(world.grants).toEqual(["authorization_code", "refresh_token", "refresh_token"]);
    const other = await connectWithOAuth(world, { store });
    await call(other);
    expect(world.grants).toHaveLength(3);
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

/** A file store whose locks are taken over, as if this process had been stopped, while the token endpoint is asked. */
async function storeThatLosesItsLocks(grant: string) {
  const folder = createTemporaryFolder();
  const values = new Map<string, string>();
  const files = await fileCredentialStore({ folder });
  const store: CredentialStore = {
    get: (key) => files.get(key),
    delete: (key) => files.delete(key),
    exclusive: (name, work, signal) => files.exclusive(name, work, signal),
    async set(key, value) {
      await files.set(key, value);
      values.set(key, value);
    },
  };
  const intercept = ({ path, body }: { path: string; body: Record<string, unknown> }) => {
    if (path !== "/token" || body.grant_type !== grant) return undefined;
    for (const lock of readdirSync(folder).filter((name) => name.endsWith(".lock")))
      for (const holder of readdirSync(join(folder, lock)))
        rmSync(join(folder, lock, holder), { recursive: true });
    return undefined;
  };
  const storedTokens = () => {
    const [key = "", text = "{}"] = [...values].find(([name]) => name.startsWith('["tokens"')) ?? [];
    return { key, tokens: JSON.parse(text) as Record<string, unknown> };
  };
  return { folder, files, store, intercept, storedTokens };
}

describe("a process that is stopped for so long that another takes its lock", () => {
  it.each(["authorization_code", "refresh_token"])("keeps the tokens of its %s grant", async (grant) => {
    const { folder, store, intercept } = await storeThatLosesItsLocks(grant);
    const world = await startFakeOAuthServer({ intercept });
    const client = await connectWithOAuth(world, { store });
    for (let round = 0; round < 2; round++) {
      world.endAccessTokens();
      await call(client);
    }
    await client.close();
    world.endAccessTokens();
    await call(await connectWithOAuth(world, { store: await fileCredentialStore({ folder }) }));
    expect(world.reuses).toBe(0);
    expect(world.grants).toEqual(["authorization_code", "refresh_token", "refresh_token", "refresh_token"]);
  });

  it("uses the tokens that the other has stored meanwhile, and leaves them there", async () => {
    const { files, store, intercept, storedTokens } = await storeThatLosesItsLocks("refresh_token");
    const world: FakeOAuthServer = await startFakeOAuthServer({
      intercept: (seen) => {
        if (seen.path !== "/token" || seen.body.grant_type !== "refresh_token") return undefined;
        const { key, tokens } = storedTokens();
        world.accessTokens.set("of-the-other", { family: "other", scopes: [] });
        // Another process writes under its own lock, not under that of this test.
        othersWrite = files.set(key, JSON.stringify({ ...tokens, accessToken: "of-the-other" }));
        return intercept(seen);
      },
    });
    let othersWrite: Promise<void> = Promise.resolve();
    const set = async (key: string, value: string) => {
      await othersWrite;
      await store.set(key, value);
    };
    const client = await connectWithOAuth(world, { store: { ...store, set } });
    world.endAccessTokens();
    await call(client);
    expect(world.at("/mcp").at(-1)?.headers.authorization).toBe("Bearer of-the-other");
    expect(await files.get(storedTokens().key)).toContain("of-the-other");
  });
});
