/** One login: sends the user to the authorization server and receives the callback. */
export interface Login {
  /** The redirect URI of this login. */
  readonly redirectUri: string;
  /** Opens `url` for the user; resolves with the URL of the callback, its query included. */
  authorize(url: URL, signal: AbortSignal): Promise<URL | string>;
  close?(): void | Promise<void>;
}

/**
 * Begins a login.
 *
 * `redirectUris` are those that the client is registered with: using one saves a new registration.
 */
export type OpenLogin = (known: { readonly redirectUris: readonly string[] }) => Login | Promise<Login>;
