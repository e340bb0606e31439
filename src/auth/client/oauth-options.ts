import type { OptionKinds } from "../../contract/options.ts";
import type { Grant } from "./grant.ts";
import type { ClientDescription, PreregisteredClient } from "./identity/client-information.ts";
import type { Login, OpenLogin } from "./login.ts";
import type { CredentialStore } from "./tokens/credential-store.ts";

export interface OAuthOptions {
  /**
   * Opens `url` for the user, and resolves with the URL of the callback, query included.
   *
   * The URL is safe to open: https, or http on this machine. Needs `redirectUri`.
   * Default: on Node, a browser window and a listener on loopback.
   */
  readonly authorize?: Login["authorize"] | undefined;
  /** The redirect URI that `authorize` receives the callback at. */
  readonly redirectUri?: string | undefined;
  /** Like `authorize`, for logins that must be closed, or that have a redirect URI of their own. */
  readonly login?: OpenLogin | undefined;
  /** Obtains tokens without a browser login: `clientCredentials()`, `deviceCode()` and others. */
  readonly grant?: Grant | undefined;

  /** A client that was registered beforehand. Default: the client metadata URL, else dynamic registration. */
  readonly client?: PreregisteredClient | undefined;
  /**
   * The URL of this client's metadata document, which is then its id.
   *
   * Used where the authorization server supports such ids; elsewhere the client is registered.
   */
  readonly clientMetadataUrl?: string | undefined;
  /** The client metadata of a dynamic registration. */
  readonly description?: ClientDescription | undefined;

  /** Scopes to request in addition to those of the server's challenges. Default: those of the challenge or the server's metadata. */
  readonly scopes?: readonly string[] | undefined;
  /**
   * The only authorization server to use. A server that does not name it is an error. Default: the first that a server
   * names.
   *
   * Also helps where a server writes its issuer with a wrong trailing slash.
   */
  readonly issuer?: string | undefined;
  /** Binds tokens to a key, so that a stolen token is useless; true refuses others. Default "auto": where the server requires it. */
  readonly dpop?: boolean | "auto" | undefined;

  /** The store of registrations and tokens. Default: in memory. */
  readonly store?: CredentialStore | undefined;
  /** The time limit of a login in milliseconds. Default 300,000. */
  readonly loginMs?: number | undefined;
  /**
   * Sends the requests for metadata and tokens.
   *
   * Default: on Node, a `fetch` that connects only to addresses that were checked; elsewhere the
   * platform's own, where only addresses that are written in the URL can be checked.
   */
  readonly fetch?: typeof fetch | undefined;
  /**
   * Hosts that may have private addresses, such as an identity provider inside a company.
   *
   * Every other host that a server names must be public: otherwise the server could make this
   * client send requests into its own network (SSRF).
   */
  readonly privateHosts?: readonly string[] | undefined;
}

export const oauthOptionKinds: OptionKinds<OAuthOptions> = {
  authorize: "function",
  redirectUri: "string",
  login: "function",
  grant: "any",
  client: "object",
  clientMetadataUrl: "string",
  description: "object",
  scopes: "strings",
  issuer: "string",
  dpop: "boolean|string",
  store: "object",
  loginMs: "number",
  fetch: "function",
  privateHosts: "strings",
};
