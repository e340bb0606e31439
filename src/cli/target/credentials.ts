import { join } from "node:path";
import { AuthorizationError } from "allspeak";
import {
  type CredentialStore,
  deviceCode,
  type Grant,
  type OAuth,
  type OAuthOptions,
  oauth,
} from "allspeak/auth";
import { fileCredentialStore } from "allspeak/node";
import type { Terminal } from "../terminal/terminal.ts";
import { stateFolder } from "./state-folder.ts";

/** The way in which the user logged in to a server: tokens of the two ways are kept apart. */
export type LoginKind = "browser" | "device";

/**
 * The credentials that `allspeak login` has stored for a server. Unless the options say how to log in, no login is
 * begun: only `allspeak login` does that.
 */
export async function openCredentials(
  terminal: Terminal,
  target: string,
  options: OAuthOptions = {},
): Promise<OAuth> {
  const store = options.store ?? (await openCredentialStore(terminal));
  if (options.login !== undefined || options.grant !== undefined) return oauth({ ...options, store });
  const refuse = () => {
    throw new AuthorizationError(`The server wants a login. Log in with: allspeak login ${target}`, "login");
  };
  const isByDevice = (await store.get(loginKey(target))) === "device";
  return oauth({
    ...options,
    store,
    ...(isByDevice ? { grant: refuseGrant(deviceCode({ show: refuse }), refuse) } : { login: refuse }),
  });
}

/** The stored tokens of a grant are used and refreshed, and no new ones obtained. */
function refuseGrant(grant: Grant, refuse: () => never): Grant {
  return { ...grant, obtain: async () => refuse() };
}

export async function rememberLogin(
  terminal: Terminal,
  target: string,
  kind: LoginKind | undefined,
): Promise<void> {
  const store = await openCredentialStore(terminal);
  await (kind ? store.set(loginKey(target), kind) : store.delete(loginKey(target)));
}

function loginKey(target: string): string {
  const { origin, pathname } = new URL(target);
  return JSON.stringify(["command login", `${origin}${pathname}`]);
}

export function openCredentialStore(terminal: Terminal): Promise<CredentialStore> {
  return fileCredentialStore({ folder: join(stateFolder(terminal.streams.env), "credentials") });
}
