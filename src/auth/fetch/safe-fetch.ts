import { AuthorizationError } from "../../errors.ts";
import { type AddressPolicy, assertSafeAddress, assertSafeUrl } from "./address-policy.ts";
import { readWhole } from "./read-whole.ts";

/** Makes one request without following redirects; passes each address to `check` before it connects. */
export type CheckedFetch = (
  url: URL,
  init: RequestInit,
  check: (address: string) => void,
) => Promise<Response>;

export type SafeFetch = (url: URL | string, init?: RequestInit) => Promise<Response>;

export interface SafeFetchOptions {
  readonly fetch: CheckedFetch;
  readonly policy: AddressPolicy;
  readonly maxBytes?: number | undefined;
  readonly timeoutMs?: number | undefined;
}

const maxRedirects = 5;

/**
 * A `fetch` for URLs that a remote party chose.
 *
 * Checks each address before anything is sent, those of redirects too. Only GET follows redirects.
 * Reads the whole response within the limits of time and size.
 */
export function createSafeFetch(options: SafeFetchOptions): SafeFetch {
  const { fetch, policy, maxBytes = 256 * 1024, timeoutMs = 30_000 } = options;
  return async (url, init = {}) => {
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal = init.signal ? AbortSignal.any([init.signal, timeout]) : timeout;
    const method = init.method ?? "GET";
    let target = toUrl(url);
    for (let redirects = 0; ; redirects++) {
      const current = target;
      assertSafeUrl(current, policy);
      const response = await attempt(current, () =>
        fetch(current, { ...init, method, signal, redirect: "manual" }, (address) =>
          assertSafeAddress(address, current, policy),
        ),
      );
      if (method !== "GET" || !isRedirect(response))
        return attempt(current, () => readWhole(response, maxBytes));
      response.body?.cancel().catch(() => {});
      if (response.type === "opaqueredirect")
        throw new AuthorizationError(
          `${current.origin} redirects, and this platform hides the target of a redirect.`,
          "discovery",
        );
      if (redirects === maxRedirects)
        throw new AuthorizationError(
          `${current.origin} redirects more than ${maxRedirects} times.`,
          "discovery",
        );
      target = toUrl(response.headers.get("location") ?? "", current);
    }
  };
}

function isRedirect({ status, type }: Response): boolean {
  return type === "opaqueredirect" || (status >= 300 && status < 400);
}

function toUrl(url: URL | string, from?: URL): URL {
  if (URL.canParse(url, from)) return new URL(url, from);
  throw new AuthorizationError("The address to request is not a URL.", "discovery");
}

async function attempt<T>(url: URL, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof AuthorizationError ? error.cause : error;
    if (cause instanceof AuthorizationError) throw cause;
    throw new AuthorizationError(`${url.origin} did not answer.`, "unreachable", { cause });
  }
}
