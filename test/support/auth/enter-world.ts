import { type OAuthOptions, oauth } from "allspeak/auth";
import { type Client, type ConnectOptions, connect } from "allspeak/client";
import { onTestFinished } from "vitest";
import type { OAuthWorld } from "./oauth-world.ts";

/** Where users come back to; nobody listens there. */
export const redirectUri = "http://127.0.0.1:9/callback";

/** Connects to a world for the length of one test, by a user who agrees to everything. */
export async function enter(
  world: OAuthWorld,
  options: OAuthOptions = {},
  others: ConnectOptions = {},
): Promise<Client> {
  const login = options.login || options.grant ? {} : { authorize: world.authorize, redirectUri };
  const auth = oauth({ ...login, ...options });
  const client = await connect(world.url, { auth, hints: new Map(), ...others });
  onTestFinished(() => client.close());
  return client;
}

/** What comes of trying to connect. */
export async function failure(world: OAuthWorld, options: OAuthOptions = {}): Promise<unknown> {
  return enter(world, options).then(
    () => undefined,
    (error: unknown) => error,
  );
}
