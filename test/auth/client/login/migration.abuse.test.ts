import { memoryCredentialStore } from "allspeak/auth";
import { describe, expect, it } from "vitest";
import { connectWithOAuth } from "../../../support/auth/connect-with-oauth.ts";
import { type FakeOAuthServer, startFakeOAuthServer } from "../../../support/auth/fake-oauth-server.ts";

/** A server that names the authorization server of another world from now on, and takes its tokens only. */
function moveTo(world: FakeOAuthServer, other: FakeOAuthServer): void {
  world.options.resourceMetadata = () => ({ resource: world.url, authorization_servers: [other.issuer] });
  world.endAccessTokens();
  Object.assign(world, { accessTokens: other.accessTokens });
}

/** What a world's authorization server was shown, as one text. */
function shownTo(world: FakeOAuthServer): string {
  const seen = world.seen.filter(({ where }) => where === "issuer");
  return JSON.stringify(seen.map(({ path, headers, body }) => [path, headers, body]));
}

describe("a server that changes its authorization server", () => {
  it("causes a new registration, and no earlier credentials are sent to the new server", async () => {
    const [world, other] = await Promise.all([startFakeOAuthServer(), startFakeOAuthServer()]);
    const authorize = async (url: URL) => other.authorize(url);
    const client = await connectWithOAuth(world, { authorize });
    const old = [...world.registered.keys(), ...world.accessTokens.keys(), ...world.refreshTokens.keys()];
    moveTo(world, other);
    await client.tools.call("echo", {});
    expect(other.registered.size).toBe(1);
    expect(old.filter((secret) => shownTo(other).includes(secret))).toEqual([]);
  });

  it("is not followed with a client that is known to the old one only", async () => {
    const [world, other] = await Promise.all([startFakeOAuthServer(), startFakeOAuthServer()]);
    const client = await connectWithOAuth(world, { client: { id: "prior-client", secret: "s3cret" } });
    moveTo(world, other);
    await expect(client.tools.call("echo", {})).rejects.toMatchObject({
      code: "authorization",
      reason: "registration",
    });
    expect(shownTo(other)).not.toContain("prior-client");
    expect(shownTo(other)).not.toContain(btoa("prior-client:s3cret"));
  });

  it("is not followed in the next process either, though nothing but the store remembers", async () => {
    const [world, other] = await Promise.all([startFakeOAuthServer(), startFakeOAuthServer()]);
    const store = memoryCredentialStore();
    const options = { store, client: { id: "prior-client", secret: "s3cret" } };
    await (await connectWithOAuth(world, options)).close();
    moveTo(world, other);
    await expect(connectWithOAuth(world, options)).rejects.toMatchObject({ reason: "registration" });
    expect(shownTo(other)).not.toContain("prior-client");
  });

  it("is the same as before when it names the old one again", async () => {
    const [world, other] = await Promise.all([startFakeOAuthServer(), startFakeOAuthServer()]);
    const client = await connectWithOAuth(world, { authorize: (url) => other.authorize(url) });
    const { accessTokens } = world;
    moveTo(world, other);
    await client.tools.call("echo", {});
    Object.assign(world, { accessTokens });
    delete world.options.resourceMetadata;
    await client.tools.call("echo", {});
    expect(world.registered.size).toBe(1);
  });
});
