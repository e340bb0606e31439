import { AuthorizationError } from "../../errors.ts";
import { type AddressPolicy, assertSafeAddress, assertSafeUrl } from "./address-policy.ts";

/** Makes one request without following redirects; shows `check` each address before it connects. */
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
 * A `fetch` for addresses that a stranger chose.
 *
 * Each address is checked, that of a redirect too, before anything is sent; only reading follows
 * redirects. The whole answer is read within the limits of time and size.
 */
export function createSafeFetch(options: SafeFetchOptions): SafeFetch {
  const { fetch, policy, maxBytes = 256 * 1024, timeoutMs = 30_000 } = options;
  return async (url, init = {}) => {
    const late = AbortSignal.timeout(timeoutMs);
    const signal = init.signal ? AbortSignal.any([init.signal, late]) : late;
    const method = init.method ?? "GET";
    let target = toUrl(url);
    for (let redirects = 0; ; redirects++) {
      const asked = target;
      assertSafeUrl(asked, policy);
      const response = await attempt(asked, () =>
        fetch(asked, { ...init, method, signal, redirect: "manual" }, (address) =>
          assertSafeAddress(address, asked, policy),
        ),
      );
      if (method !== "GET" || !isRedirect(response))
        return attempt(asked, () => readWhole(response, maxBytes));
      response.body?.cancel().catch(() => {});
      if (response.type === "opaqueredirect")
        throw new AuthorizationError(
          `${asked.origin} redirects, and this platform does not tell where.`,
          "discovery",
        );
      if (redirects === maxRedirects)
        throw new AuthorizationError(`${asked.origin} redirects without end.`, "discovery");
      target = toUrl(response.headers.get("location") ?? "", asked);
    }
  };
}

function isRedirect({ status, type }: Response): boolean {
  return type === "opaqueredirect" || (status >= 300 && status < 400);
}

function toUrl(url: URL | string, from?: URL): URL {
  if (URL.canParse(url, from)) return new URL(url, from);
  throw new AuthorizationError("An address that should be asked is not a URL.", "discovery");
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

async function readWhole(response: Response, maxBytes: number): Promise<Response> {
  const { status, statusText, headers } = response;
  const chunks: Uint8Array[] = [];
  let size = Number(headers.get("content-length")) > maxBytes ? Number.POSITIVE_INFINITY : 0;
  const reader = response.body?.getReader();
  while (reader && size <= maxBytes) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.byteLength;
    chunks.push(value);
  }
  if (size > maxBytes) {
    reader?.cancel().catch(() => {});
    throw new AuthorizationError(`An answer is larger than ${maxBytes} bytes.`, "discovery");
  }
  const hasBody = status !== 204 && status !== 205 && status !== 304;
  const body = hasBody ? await new Blob(chunks as BlobPart[]).arrayBuffer() : null;
  return new Response(body, { status, statusText, headers });
}
