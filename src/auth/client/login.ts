/** One login: sends a user to the authorization server, and gets what they come back with. */
export interface Login {
  /** Where the user is sent back to. */
  readonly redirectUri: string;
  /** Resolves with the address that the user was sent back to, its query included. */
  authorize(url: URL, signal: AbortSignal): Promise<URL | string>;
  close?(): void | Promise<void>;
}

/**
 * Begins a login.
 *
 * `redirectUris` are those that the client is registered with: one of them spares a new registration.
 */
export type OpenLogin = (known: { readonly redirectUris: readonly string[] }) => Login | Promise<Login>;
