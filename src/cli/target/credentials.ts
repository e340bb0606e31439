import { join } from "node:path";
import { AuthorizationError } from "allspeak";
import { type CredentialStore, deviceCode, type OAuth, type OAuthOptions, oauth } from "allspeak/auth";
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
  if (options.login !== undefined || options.grant !== undefined) return oauth({ ...options, store });
  return openStored(store, target, (await readChoice(store, target)) ?? { kind: "browser" });
}

/** The tokens of one way to log in, which are used and refreshed; no new ones are obtained. */
function openStored(store: CredentialStore, target: string, { kind, clientId }: LoginChoice): OAuth {
  const refuse = () => {
    throw new AuthorizationError(`The server wants a login. Log in with: allspeak login ${target}`, "login");
  };
  return oauth({
    store,
    ...(clientId !== undefined && { client: { id: clientId } }),
    ...(kind === "device"
      ? { grant: { ...deviceCode({ show: refuse }), obtain: async () => refuse() } }
      : { login: refuse }),
  });
}

/** The way of the last login. */
export async function recallLogin(terminal: Terminal, target: string): Promise<LoginChoice | undefined> {
  return readChoice(await openCredentialStore(terminal), target);
}

async function readChoice(store: CredentialStore, target: string): Promise<LoginChoice | undefined> {
  const kind = await store.get(choiceKey("login", target));
  if (kind === undefined) return undefined;
  const clientId = await store.get(choiceKey("client", target));
  return { kind: kind === "device" ? "device" : "browser", clientId };
}

/** Remembers the way of the last login, and forgets the tokens of another one before it. Undefined forgets both. */
export async function rememberLogin(
  terminal: Terminal,
  target: string,
  choice: LoginChoice | undefined,
): Promise<void> {
  const store = await openCredentialStore(terminal);
  const before = await readChoice(store, target);
  if (before && (before.kind !== choice?.kind || before.clientId !== choice.clientId))
    await openStored(store, target, before).forget(target);
  const keep = (what: string, value: string | undefined) =>
    value === undefined ? store.delete(choiceKey(what, target)) : store.set(choiceKey(what, target), value);
  await keep("login", choice?.kind);
  await keep("client", choice?.clientId);
}

/** Forgets the tokens for a server, whichever way they were obtained. */
export async function forgetTokens(store: CredentialStore, target: string): Promise<void> {
  const clientId = (await readChoice(store, target))?.clientId;
  for (const kind of ["browser", "device"] as const) {
    await openStored(store, target, { kind }).forget(target);
    if (clientId !== undefined) await openStored(store, target, { kind, clientId }).forget(target);
  }
}

function choiceKey(what: string, target: string): string {
  const { origin, pathname } = new URL(target);
  return JSON.stringify([`command ${what}`, `${origin}${pathname}`]);
}

export function openCredentialStore(terminal: Terminal): Promise<CredentialStore> {
  return fileCredentialStore({ folder: join(stateFolder(terminal.streams.env), "credentials") });
}
