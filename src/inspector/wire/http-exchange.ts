import { isSecretValue } from "../../lib/text/secret-name.ts";
import type { Header, HttpExchangeView } from "../messages/wire.ts";

/** The facts of one HTTP exchange, as they become known. */
export type HttpExchange = { -readonly [Member in keyof HttpExchangeView]: HttpExchangeView[Member] };

const maxHeaderChars = 1_000;
/** Of all headers of a request, or of a response. */
const maxHeadersBytes = 4_000;
/** About what an object of the history takes beside its texts. */
const objectBytes = 64;

/** Headers with the values of secrets masked: of credentials the scheme stays. */
function maskHeaders(headers: Headers): Header[] {
  return [...headers].map(([name, value]) => {
    if (!isSecretValue(name, value)) return { name, value: value.slice(0, maxHeaderChars) };
    const scheme = /^(?:Bearer|Basic|DPoP) /i.exec(value)?.[0] ?? "";
    return { name, value: `${scheme}•••`, isMasked: true };
  });
}

/** The first headers, as many as there is room for. */
function capHeaders(headers: readonly Header[]): Header[] {
  let room = maxHeadersBytes;
  const kept = headers.filter((header) => {
    room -= headerBytes(header);
    return room >= 0;
  });
  const cut = headers.length - kept.length;
  return cut === 0 ? kept : [...kept, { name: "…", value: `${cut} more` }];
}

/** The room that an exchange takes in the history. */
export function exchangeBytes({ url, requestHeaders, responseHeaders }: HttpExchange): number {
  const headers = [...requestHeaders, ...responseHeaders];
  return headers.reduce((sum, header) => sum + headerBytes(header), objectBytes + url.length);
}

function headerBytes({ name, value }: Header): number {
  return objectBytes + name.length + value.length;
}

/** A URL with the values of secrets in its query masked. */
export function maskUrl(given: string | URL): string {
  if (!URL.canParse(given)) return "(not a URL)";
  const url = new URL(given);
  url.username = "";
  url.password = "";
  for (const [name, value] of [...url.searchParams])
    if (isSecretValue(name, value)) url.searchParams.set(name, "•••");
  return url.href.replaceAll("%E2%80%A2", "•").slice(0, 2_000);
}

export interface ExchangeListener {
  /** Called when a request leaves. */
  onRequest(exchange: HttpExchange, body: string | undefined): void;
  /** Called when the headers of the response, or a failure, have come. */
  onResponse(exchange: HttpExchange): void;
}

let exchanges = 0;

/** A `fetch` that reports each exchange. */
export function watchedFetch(send: typeof fetch, listener: ExchangeListener): typeof fetch {
  return async (input, init) => {
    const request = input instanceof Request ? input : undefined;
    const exchange: HttpExchange = {
      exchange: ++exchanges,
      method: (init?.method ?? request?.method ?? "GET").toUpperCase(),
      url: maskUrl(request?.url ?? String(input)),
      requestHeaders: capHeaders(maskHeaders(new Headers(init?.headers ?? request?.headers))),
      responseHeaders: [],
      startedAt: Date.now(),
    };
    const startedAt = performance.now();
    listener.onRequest(exchange, typeof init?.body === "string" ? init.body : undefined);
    try {
      const response = await send(input, init);
      exchange.status = response.status;
      exchange.statusText = response.statusText;
      exchange.responseHeaders = capHeaders(maskHeaders(response.headers));
      return response;
    } catch (error) {
      exchange.failure = error instanceof Error ? error.message : String(error);
      throw error;
    } finally {
      exchange.headersMs = Math.round((performance.now() - startedAt) * 10) / 10;
      listener.onResponse(exchange);
    }
  };
}
