import { inspect } from "node:util";
import { expect, it } from "vitest";
import { connectFailure, connectWithOAuth } from "../../support/auth/connect-with-oauth.ts";
import { type FakeOAuthServerOptions, startFakeOAuthServer } from "../../support/auth/fake-oauth-server.ts";

/** An authorization server that repeats all it was shown when it says no. */
function echoing(grant: string, secrets: string[]): FakeOAuthServerOptions {
  return {
    intercept({ path, body, headers }, response) {
      if (path !== "/token" || body.grant_type !== grant) return false;
      const { authorization = "" } = headers;
      const secret = atob(authorization.split(" ")[1] ?? "").split(":")[1];
      const shown = [body.refresh_token, body.code, body.code_verifier, body.client_secret, secret];
      secrets.push(...shown.filter((one): one is string => Boolean(one)));
      response.writeHead(400, { "content-type": "application/json" });
      const error_description = `${secrets.join(" and ")} are not good`;
      response.end(JSON.stringify({ error: "invalid_grant", error_description }));
      return true;
    },
  };
}

it.each([undefined, { id: "prior-client", secret: "hunter2-hunter2" }])(
  "a code that an authorization server repeats is in no error (client %j)",
  async (client) => {
    const secrets: string[] = [];
    const world = await startFakeOAuthServer(echoing("authorization_code", secrets));
    const told = inspect(await connectFailure(world, client && { client }), { depth: 10 });
    expect(secrets.length).toBeGreaterThanOrEqual(client ? 3 : 2);
    expect(told).toContain("are not good");
    expect(secrets.filter((secret) => told.includes(secret))).toEqual([]);
  },
);

it("a refresh token that it repeats is in no explanation", async () => {
  const secrets: string[] = [];
  const world = await startFakeOAuthServer(echoing("refresh_token", secrets));
  const client = await connectWithOAuth(world);
  world.endAccessTokens();
  await client.tools.call("echo", {});
  const told = JSON.stringify(client.auth.explain());
  expect(told).toContain("are not good");
  expect(secrets.filter((secret) => told.includes(secret))).toEqual([]);
});
