import type { Grant } from "./grant.ts";
import type { ClientDescription, PreregisteredClient } from "./identity/client-information.ts";
import type { Login, OpenLogin } from "./login.ts";
import type { CredentialStore } from "./tokens/credential-store.ts";

export interface OAuthOptions {
  /**
   * Sends the user to `url`, and resolves with the address that they came back to, query included.
   *
   * The address is safe to open: https, or http on this machine. Needs `redirectUri`.
   * Default: on Node, a browser window and a listener on loopback.
   */
  readonly authorize?: Login["authorize"] | undefined;
  /** Where `authorize` lets the user come back to. */
  readonly redirectUri?: string | undefined;
  /** As `authorize`, for logins that have something to close, or a redirect address of their own. */
  readonly login?: OpenLogin | undefined;
  /** How tokens are obtained, if not by a user who logs in: `clientCredentials()`, `deviceCode()` and others. */
  readonly grant?: Grant | undefined;

  /** A client that was registered beforehand. Without it, the client describes or registers itself. */
  readonly client?: PreregisteredClient | undefined;
  /**
   * Where the description of this client is published; it is then its id.
   *
   * Used where the authorization server takes such ids; elsewhere the client is registered.
   */
  readonly clientMetadataUrl?: string | undefined;
  /** How the client describes itself when it is registered. */
  readonly description?: ClientDescription | undefined;

  /** Asked for beside what the server's challenges want. Default: what the challenge or the server's metadata says. */
  readonly scopes?: readonly string[] | undefined;
  /**
   * The authorization server to choose, where a server names several. Default: the first.
   *
   * Also helps where a server leaves out the slash at the end of its issuer, or adds one.
   */
  readonly issuer?: string | undefined;
  /** Binds tokens to a key, so that a stolen one is of no use. Default "auto": where the server wants it. */
  readonly dpop?: boolean | "auto" | undefined;

  /** Where registrations and tokens are kept. Default: in memory. */
  readonly store?: CredentialStore | undefined;
  /** How long a user may take to log in, in milliseconds. Default 300,000. */
  readonly loginMs?: number | undefined;
  /**
   * What metadata and tokens are fetched with.
   *
   * Default: on Node, requests that connect to the very address that was checked; elsewhere the
   * platform's own, where only addresses that are written in the URL can be checked.
   */
  readonly fetch?: typeof fetch | undefined;
  /**
   * Hosts that may have private addresses, such as an identity provider inside a company.
   *
   * Everything else that a server names must be public: otherwise it could make this client ask
   * services that only this client can reach.
   */
  readonly privateHosts?: readonly string[] | undefined;
}
