import { type OAuthOptions, oauth } from "allspeak/auth";
import { type Client, type ConnectOptions, connect } from "allspeak/client";
import { onTestFinished } from "vitest";
import type { FakeOAuthServer } from "./fake-oauth-server.ts";

/** The redirect URI of tests; nothing listens there. */
export const redirectUri = "http://127.0.0.1:9/callback";

/** Connects to a fake OAuth server for one test, with a user who allows everything. */
export async function connectWithOAuth(
  world: FakeOAuthServer,
  options: OAuthOptions = {},
  others: ConnectOptions = {},
): Promise<Client> {
  const login = options.login || options.grant ? {} : { authorize: world.authorize, redirectUri };
  const auth = oauth({ ...login, ...options });
  const client = await connect(world.url, { auth, hints: new Map(), ...others });
  onTestFinished(() => client.close());
  return client;
}

/** The error of an attempt to connect. */
export async function connectFailure(world: FakeOAuthServer, options: OAuthOptions = {}): Promise<unknown> {
  return connectWithOAuth(world, options).then(
    () => undefined,
    (error: unknown) => error,
  );
}
