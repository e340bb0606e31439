// Authorization servers that do not bind tokens to a key as they should (RFC 9449, section 5).
import { memoryCredentialStore } from "allspeak/auth";
import { describe, expect, it } from "vitest";
import { connectFailure, connectWithOAuth } from "../../support/auth/connect-with-oauth.ts";
import { startFakeOAuthServer } from "../../support/auth/fake-oauth-server.ts";

/** An authorization server whose tokens have these types; each but the last expires at once, and is refreshed. */
function issuing(...types: readonly string[]) {
  let issued = 0;
  return startFakeOAuthServer({
    intercept: ({ path }, response, world) => {
      if (path !== "/token") return undefined;
      const token = `token-${issued}`;
      world.accessTokens.set(token, { family: "none", scopes: [] });
      const answer = {
        access_token: token,
        token_type: types[issued++] ?? types.at(-1),
        expires_in: issued < types.length ? 0 : 60,
        refresh_token: "again",
      };
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
      return true;
    },
  });
}

describe("a token", () => {
  it("that is bound to no key is not used where the host requires a key", async () => {
    const world = await issuing("Bearer");
    expect(await connectFailure(world, { dpop: true })).toMatchObject({ reason: "refused" });
    expect(world.at("/mcp").filter(({ headers }) => headers.authorization !== undefined)).toEqual([]);
  });

  it("that is bound to no key is used where nobody requires one", async () => {
    const world = await issuing("Bearer");
    await (await connectWithOAuth(world)).tools.call("echo", {});
  });

  it("that is bound to a key of somebody else is not sent as if it were not", async () => {
    const world = await issuing("DPoP");
    expect(await connectFailure(world)).toMatchObject({ reason: "refused" });
    expect(world.at("/mcp").filter(({ headers }) => headers.authorization !== undefined)).toEqual([]);
  });

  it("that replaces one with a key has a key, too", async () => {
    const world = await issuing("DPoP", "Bearer");
    expect(await connectFailure(world, { dpop: true })).toMatchObject({ reason: "refused" });
    expect(world.grants).toContain("refresh_token");
    const sent = world.at("/mcp").flatMap(({ headers }) => headers.authorization ?? []);
    expect(sent.filter((header) => !header.startsWith("DPoP "))).toEqual([]);
  });

  it("that replaces one with a key, and has none, is followed by a login", async () => {
    const world = await issuing("DPoP", "Bearer");
    await connectFailure(world, { dpop: true });
    expect(world.grants).toEqual(["authorization_code", "refresh_token", "authorization_code"]);
  });

  it("that was stored before the host required a key is not used", async () => {
    const world = await issuing("Bearer");
    const store = memoryCredentialStore();
    await (await connectWithOAuth(world, { store })).tools.call("echo", {});
    const sent = () => world.at("/mcp").flatMap(({ headers }) => headers.authorization ?? []).length;
    const before = sent();
    expect(await connectFailure(world, { store, dpop: true })).toMatchObject({ reason: "refused" });
    expect(sent()).toBe(before);
  });
});
