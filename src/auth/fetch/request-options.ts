import { allowInsecureRequests, customFetch } from "oauth4webapi";

export type OAuthFetch = (input: string, init?: RequestInit) => Promise<Response>;

/** Options of a request that oauth4webapi makes. */
export interface OAuthRequestOptions {
  readonly [allowInsecureRequests]: boolean;
  readonly [customFetch]?: (url: string, init: object) => Promise<Response>;
  readonly signal: () => AbortSignal;
}

const timeoutMs = 5_000;

/**
 * Options for requests to an authorization server that an option names.
 *
 * Plain http is allowed where the URL has it: `toSecureUrl` accepted that URL before.
 */
export function toRequestOptions(url: URL, fetch?: OAuthFetch): OAuthRequestOptions {
  return {
    [allowInsecureRequests]: url.protocol === "http:",
    ...(fetch && { [customFetch]: (to: string, init: object) => fetch(to, init) }),
    signal: () => AbortSignal.timeout(timeoutMs),
  };
}
