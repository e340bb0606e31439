import { allowInsecureRequests, customFetch } from "oauth4webapi";
import { readWhole } from "./read-whole.ts";

export type OAuthFetch = (input: string, init?: RequestInit) => Promise<Response>;

/** Options of a request that oauth4webapi makes. */
export interface OAuthRequestOptions {
  readonly [allowInsecureRequests]: boolean;
  readonly [customFetch]: (url: string, init: object) => Promise<Response>;
  readonly signal: () => AbortSignal;
}

const timeoutMs = 5_000;
const maxBytes = 1024 * 1024;

/**
 * Options for requests to an authorization server that an option names.
 *
 * Plain http is allowed where the URL has it: `toSecureUrl` accepted that URL before.
 */
export function toRequestOptions(url: URL, fetch?: OAuthFetch): OAuthRequestOptions {
  return {
    [allowInsecureRequests]: url.protocol === "http:",
    [customFetch]: toBoundedFetch(fetch),
    signal: () => AbortSignal.timeout(timeoutMs),
  };
}

/** A `fetch` that reads no more than documents of an authorization server can have. */
export function toBoundedFetch(own: OAuthFetch | undefined): OAuthFetch {
  return async (input, init) => readWhole(await (own ? own(input, init) : fetch(input, init)), maxBytes);
}
