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

/** The way in which the user logged in to a server: tokens of the two ways, and of each client, are kept apart. */
export interface LoginChoice {
  readonly kind: "browser" | "device";
  /** The id of a client that the user has registered. */
  readonly clientId?: string | undefined;
}

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
  const clientId = options.client?.id ?? (await store.get(choiceKey("client", target)));
  const known = { ...options, store, ...(clientId !== undefined && { client: { id: clientId } }) };
  if (options.login !== undefined || options.grant !== undefined) return oauth(known);
  const refuse = () => {
    throw new AuthorizationError(`The server wants a login. Log in with: allspeak login ${target}`, "login");
  };
  const isByDevice = (await store.get(choiceKey("login", target))) === "device";
  return oauth({
    ...known,
    ...(isByDevice ? { grant: refuseGrant(deviceCode({ show: refuse }), refuse) } : { login: refuse }),
  });
}

/** The stored tokens of a grant are used and refreshed, and no new ones obtained. */
function refuseGrant(grant: Grant, refuse: () => never): Grant {
  return { ...grant, obtain: async () => refuse() };
}

/** Remembers the way of the last login; undefined forgets it. */
export async function rememberLogin(
  terminal: Terminal,
  target: string,
  choice: LoginChoice | undefined,
): Promise<void> {
  const store = await openCredentialStore(terminal);
  const keep = (what: string, value: string | undefined) =>
    value === undefined ? store.delete(choiceKey(what, target)) : store.set(choiceKey(what, target), value);
  await keep("login", choice?.kind);
  await keep("client", choice?.clientId);
}

function choiceKey(what: string, target: string): string {
  const { origin, pathname } = new URL(target);
  return JSON.stringify([`command ${what}`, `${origin}${pathname}`]);
}

export function openCredentialStore(terminal: Terminal): Promise<CredentialStore> {
  return fileCredentialStore({ folder: join(stateFolder(terminal.streams.env), "credentials") });
}
