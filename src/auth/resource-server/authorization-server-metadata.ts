import {
  type AuthorizationServer,
  allowInsecureRequests,
  customFetch,
  discoveryRequest,
  processDiscoveryResponse,
} from "oauth4webapi";
import { VerifierUnavailableError } from "./token-verifier.ts";

export type FetchFunction = (input: string, init?: RequestInit) => Promise<Response>;

const answerMs = 5_000;
/** Nobody is asked again so soon after they failed. */
const restMs = 1_000;

/** Something that is asked for once and kept; what failed is asked for again, but not at once. */
export function loadOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let kept: Promise<T> | undefined;
  let failedAt = Number.POSITIVE_INFINITY;
  return () => {
    if (kept && Date.now() - failedAt < restMs) return kept;
    failedAt = Number.POSITIVE_INFINITY;
    kept = load();
    kept.catch(() => {
      failedAt = Date.now();
    });
    return kept;
  };
}

/** What an authorization server says of itself (RFC 8414, or OpenID Connect Discovery). Rejects with Unavailable. */
export async function fetchAuthorizationServerMetadata(
  issuer: URL,
  fetch?: FetchFunction,
): Promise<AuthorizationServer> {
  const failures: unknown[] = [];
  for (const algorithm of ["oauth2", "oidc"] as const) {
    try {
      const response = await discoveryRequest(issuer, { algorithm, ...toRequestOptions(issuer, fetch) });
      return await processDiscoveryResponse(issuer, response);
    } catch (failure) {
      failures.push(failure);
    }
  }
  throw new VerifierUnavailableError(`The metadata of ${issuer.href} could not be read.`, {
    cause: new AggregateError(failures),
  });
}

/** How an authorization server is asked. Plain http was allowed when its URL was given. */
export function toRequestOptions(url: URL, fetch?: FetchFunction): RequestOptions {
  return {
    [allowInsecureRequests]: url.protocol === "http:",
    ...(fetch && { [customFetch]: (to: string, init: object) => fetch(to, init) }),
    signal: () => AbortSignal.timeout(answerMs),
  };
}

interface RequestOptions {
  readonly [allowInsecureRequests]: boolean;
  readonly [customFetch]?: (url: string, init: object) => Promise<Response>;
  readonly signal: () => AbortSignal;
}
