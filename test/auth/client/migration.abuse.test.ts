import { memoryCredentialStore } from "allspeak/auth";
import { describe, expect, it } from "vitest";
import { enter } from "../../support/auth/enter-world.ts";
import { type OAuthWorld, openWorld } from "../../support/auth/oauth-world.ts";

/** A server that names the authorization server of another world from now on, and takes its tokens only. */
function moveTo(world: OAuthWorld, other: OAuthWorld): void {
  world.options.resourceMetadata = () => ({ resource: world.url, authorization_servers: [other.issuer] });
  world.endAccessTokens();
  Object.assign(world, { accessTokens: other.accessTokens });
}

/** What a world's authorization server was shown, as one text. */
function shownTo(world: OAuthWorld): string {
  const seen = world.seen.filter(({ where }) => where === "issuer");
  return JSON.stringify(seen.map(({ path, headers, body }) => [path, headers, body]));
}

describe("a server that changes its authorization server", () => {
  it("is followed by a new registration, and nothing of the old one is shown to the new one", async () => {
    const [world, other] = await Promise.all([openWorld(), openWorld()]);
    const authorize = async (url: URL) => other.authorize(url);
    const client = await enter(world, { authorize });
    const old = [...world.registered.keys(), ...world.accessTokens.keys(), ...world.refreshTokens.keys()];
    moveTo(world, other);
    await client.tools.call("echo", {});
    expect(other.registered.size).toBe(1);
    expect(old.filter((secret) => shownTo(other).includes(secret))).toEqual([]);
  });

  it("is not followed with a client that is known to the old one only", async () => {
    const [world, other] = await Promise.all([openWorld(), openWorld()]);
    const client = await enter(world, { client: { id: "prior-client", secret: "s3cret" } });
    moveTo(world, other);
    await expect(client.tools.call("echo", {})).rejects.toMatchObject({
      code: "authorization",
      reason: "registration",
    });
    expect(shownTo(other)).not.toContain("prior-client");
    expect(shownTo(other)).not.toContain(btoa("prior-client:s3cret"));
  });

  it("is not followed in the next process either, though nothing but the store remembers", async () => {
    const [world, other] = await Promise.all([openWorld(), openWorld()]);
    const store = memoryCredentialStore();
    const options = { store, client: { id: "prior-client", secret: "s3cret" } };
    await (await enter(world, options)).close();
    moveTo(world, other);
    await expect(enter(world, options)).rejects.toMatchObject({ reason: "registration" });
    expect(shownTo(other)).not.toContain("prior-client");
  });

  it("is the same as before when it names the old one again", async () => {
    const [world, other] = await Promise.all([openWorld(), openWorld()]);
    const client = await enter(world, { authorize: (url) => other.authorize(url) });
    const { accessTokens } = world;
    moveTo(world, other);
    await client.tools.call("echo", {});
    Object.assign(world, { accessTokens });
    delete world.options.resourceMetadata;
    await client.tools.call("echo", {});
    expect(world.registered.size).toBe(1);
  });
});
