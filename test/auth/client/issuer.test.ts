import { memoryCredentialStore } from "allspeak/auth";
import { expect, it } from "vitest";
import { connectFailure, connectWithOAuth } from "../../support/auth/connect-with-oauth.ts";
import { startFakeOAuthServer } from "../../support/auth/fake-oauth-server.ts";

const issuer = "https://login.example.com";

it("a server that names only other authorization servers than the given issuer is an error", async () => {
  const world = await startFakeOAuthServer();
  expect(await connectFailure(world, { issuer })).toMatchObject({
    code: "authorization",
    reason: "metadata",
    message: `The server names ${world.issuer} as its authorization server, not ${issuer}, which the issuer option requires.`,
  });
  expect(world.seen.filter(({ where }) => where === "issuer")).toEqual([]);
});

it("a server without metadata does not become the authorization server in place of the given issuer", async () => {
  const world = await startFakeOAuthServer({ resourceMetadata: () => undefined, challenge: () => "" });
  expect(await connectFailure(world, { issuer })).toMatchObject({
    reason: "metadata",
    message: expect.stringContaining(new URL(world.url).origin),
  });
  expect(world.at("/.well-known/oauth-authorization-server")).toEqual([]);
});

it("stored tokens of another authorization server than the given issuer are not used", async () => {
  const world = await startFakeOAuthServer();
  const store = memoryCredentialStore();
  await (await connectWithOAuth(world, { store })).close();
  const before = world.seen.length;
  expect(await connectFailure(world, { store, issuer })).toMatchObject({ reason: "metadata" });
  expect(world.seen.slice(before).filter(({ headers }) => headers.authorization !== undefined)).toEqual([]);
});
