import { describe, expect, it } from "vitest";
import { connectWithOAuth } from "../../support/auth/connect-with-oauth.ts";
import {
  defaultResourceMetadata,
  defaultServerMetadata,
  type FakeOAuthServer,
  startFakeOAuthServer,
} from "../../support/auth/fake-oauth-server.ts";

function asked(world: FakeOAuthServer): (string | null)[] {
  return world.at("/authorize").map(({ path }) => new URLSearchParams(path.split("?")[1]).get("scope"));
}

const challenge = (scope: string) => (world: FakeOAuthServer) =>
  `resource_metadata="${world.resourceMetadataUrl}", scope="${scope}"`;
const listing = (...scopes: string[]) => ({
  resourceMetadata: (world: FakeOAuthServer) => ({
    ...defaultResourceMetadata(world),
    scopes_supported: scopes,
  }),
});
const offering = (...scopes: string[]) => ({
  serverMetadata: (world: FakeOAuthServer) => ({ ...defaultServerMetadata(world), scopes_supported: scopes }),
});

describe("scopes", () => {
  it("are those of the challenge, whatever else is listed", async () => {
    const world = await startFakeOAuthServer({
      challenge: challenge("read"),
      ...listing("read", "write", "admin"),
    });
    await connectWithOAuth(world);
    expect(asked(world)).toEqual(["read"]);
  });

  it("are those that the resource lists, where the challenge names none", async () => {
    const world = await startFakeOAuthServer(listing("read", "write"));
    await connectWithOAuth(world);
    expect(asked(world)).toEqual(["read write"]);
  });

  it("are left out where no side names any", async () => {
    const world = await startFakeOAuthServer(offering("offline_access"));
    await connectWithOAuth(world);
    expect(asked(world)).toEqual([null]);
  });

  it("of the host come on top of the challenge's", async () => {
    const world = await startFakeOAuthServer({ challenge: challenge("read") });
    await connectWithOAuth(world, { scopes: ["write"] });
    expect(asked(world)).toEqual(["write read"]);
  });

  it("include offline_access where the authorization server offers it", async () => {
    const world = await startFakeOAuthServer({ ...listing("read"), ...offering("read", "offline_access") });
    await connectWithOAuth(world);
    expect(asked(world)).toEqual(["read offline_access"]);
  });

  it.each([[offering("read")], [{}]])(
    "leave offline_access out where it is not offered, even if the server lists it",
    async (offered) => {
      const world = await startFakeOAuthServer({ ...listing("read", "offline_access"), ...offered });
      await connectWithOAuth(world);
      expect(asked(world)).toEqual(["read"]);
    },
  );

  it("grow by what a call needs, and lose nothing", async () => {
    const world = await startFakeOAuthServer({
      challenge: challenge("read"),
      needs: (tool) => (tool === "write" ? ["write"] : []),
    });
    const client = await connectWithOAuth(world);
    await client.tools.call("write", {});
    expect(asked(world)).toEqual(["read", "read write"]);
    await client.tools.call("write", {});
    expect(asked(world)).toHaveLength(2);
  });

  it("that are never granted end in a typed error after two tries, and in none the next time", async () => {
    const world = await startFakeOAuthServer({
      challenge: challenge("read"),
      intercept: ({ path, body }, response, self) =>
        path === "/mcp" && body.params?.name === "write" && self.accessTokens.size > 0
          ? self.challenge(response, 403, 'error="insufficient_scope", scope="admin"')
          : undefined,
    });
    const client = await connectWithOAuth(world);
    const refused = { code: "insufficient-scope", scopes: ["admin"] };
    await expect(client.tools.call("write", {})).rejects.toMatchObject(refused);
    expect(asked(world)).toHaveLength(3);
    await expect(client.tools.call("write", {})).rejects.toMatchObject(refused);
    expect(asked(world)).toHaveLength(3);
    await client.tools.call("echo", {});
  });

  it("are named in few words that no terminal obeys", async () => {
    const scope = `\u009b31m ${"x".repeat(9_000)}`;
    const world = await startFakeOAuthServer({
      intercept: ({ path, body }, response, self) =>
        path === "/mcp" && body.params?.name === "write"
          ? self.challenge(response, 403, `error="insufficient_scope", scope="${scope}"`)
          : undefined,
    });
    const client = await connectWithOAuth(world);
    await expect(client.tools.call("write", {})).rejects.toMatchObject({
      code: "insufficient-scope",
      message: expect.stringMatching(/^[\x20-\x7e]{50,400}$/),
    });
  });

  it("that the user declines once can be had the next time", async () => {
    const world = await startFakeOAuthServer({
      challenge: challenge("read"),
      needs: (tool) => (tool === "write" ? ["write"] : []),
    });
    let declines = false;
    const authorize = (url: URL) =>
      declines ? Promise.reject(new Error("The window was closed.")) : world.authorize(url);
    const client = await connectWithOAuth(world, { authorize });
    declines = true;
    for (let round = 0; round < 4; round++)
      await expect(client.tools.call("write", {})).rejects.toMatchObject({ reason: "login" });
    await client.tools.call("echo", {});
    declines = false;
    await client.tools.call("write", {});
  });

  it("of several calls at a time are all had in the end", async () => {
    const world = await startFakeOAuthServer({
      challenge: challenge("read"),
      needs: (tool) => [`use:${tool}`],
    });
    const client = await connectWithOAuth(world);
    await Promise.all(["echo", "write", "echo", "write"].map((name) => client.tools.call(name, {})));
    expect(asked(world).at(-1)?.split(" ").sort()).toEqual(["read", "use:echo", "use:write"]);
  });

  it("that a server invents anew each time do not cause endless logins", async () => {
    let round = 0;
    const world = await startFakeOAuthServer({
      intercept: ({ path, body }, response, self) =>
        path === "/mcp" && body.params?.name === "write"
          ? self.challenge(response, 403, `error="insufficient_scope", scope="s${round++}"`)
          : undefined,
    });
    const client = await connectWithOAuth(world);
    await expect(client.tools.call("write", {})).rejects.toMatchObject({ code: "insufficient-scope" });
    expect(asked(world).length).toBeLessThanOrEqual(4);
  });

  it("are no reason to ask when access is forbidden for another reason", async () => {
    const world = await startFakeOAuthServer({
      intercept: ({ path, body }, response) => {
        if (path !== "/mcp" || body.params?.name !== "write") return undefined;
        response.writeHead(403).end("no");
        return true;
      },
    });
    const client = await connectWithOAuth(world);
    await expect(client.tools.call("write", {})).rejects.toMatchObject({ code: "http", status: 403 });
    expect(asked(world)).toHaveLength(1);
  });
});
