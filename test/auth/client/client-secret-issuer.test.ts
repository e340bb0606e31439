import { memoryCredentialStore, oauth } from "allspeak/auth";
import { connect } from "allspeak/client";
import { expect, it } from "vitest";
import { connectWithOAuth, redirectUri } from "../../support/auth/connect-with-oauth.ts";
import { type FakeOAuthServer, startFakeOAuthServer } from "../../support/auth/fake-oauth-server.ts";

const client = { id: "prior-client", secret: "s3cret" };

function shownTo(world: FakeOAuthServer): string {
  return JSON.stringify(world.seen.map(({ path, headers, body }) => [path, headers, body]));
}

it("the client secret is not sent to the authorization server of a second server", async () => {
  const [world, hostile] = await Promise.all([startFakeOAuthServer(), startFakeOAuthServer()]);
  const authorize = (url: URL) => (url.origin === hostile.issuer ? hostile : world).authorize(url);
  const auth = oauth({ client, authorize, redirectUri });
  const first = await connect(world.url, { auth, hints: new Map() });
  await first.close();
  await expect(connect(hostile.url, { auth, hints: new Map() })).rejects.toMatchObject({
    code: "authorization",
    reason: "registration",
  });
  expect(shownTo(hostile)).not.toContain(btoa("prior-client:s3cret"));
  expect(shownTo(hostile)).not.toContain("s3cret");
});

it("two clients of one name with secrets of their own are two", async () => {
  const [world, other] = await Promise.all([startFakeOAuthServer(), startFakeOAuthServer()]);
  const store = memoryCredentialStore();
  await (await connectWithOAuth(world, { store, client })).close();
  await (await connectWithOAuth(other, { store, client: { ...client, secret: "0ther" } })).close();
  expect(shownTo(other)).not.toContain("s3cret");
});
