import { HttpError } from "../../../protocol/errors.ts";
import type { HeaderRecord, HttpClientSettings } from "./http-client-options.ts";
import { toCallLost } from "./network-failure.ts";
import { isRedirect, redirectTarget } from "./redirect.ts";
import { where } from "./where.ts";

export interface Sending {
  readonly headers: HeaderRecord;
  readonly body?: string;
  readonly signal: AbortSignal;
}

const maxRedirects = 5;

/** Makes HTTP requests: with the host's headers, and without leaving the origin. */
export class Sender {
  readonly #fetch: HttpClientSettings["fetch"];
  readonly #headers: HttpClientSettings["headers"];

  constructor(settings: HttpClientSettings) {
    this.#fetch = settings.fetch;
    this.#headers = settings.headers;
  }

  async send(method: "GET" | "POST" | "DELETE", url: URL, sending: Sending): Promise<Response> {
    const { body, signal } = sending;
    const given = typeof this.#headers === "function" ? await this.#headers() : this.#headers;
    const headers = new Headers(given);
    for (const [name, value] of Object.entries(sending.headers)) headers.set(name, value);
    const init = {
      method,
      headers,
      signal,
      redirect: "manual",
      ...(body !== undefined && { body }),
    } as const;
    let target = url;
    for (let redirects = 0; ; redirects++) {
      const response = await this.#attempt(target, init);
      if (!isRedirect(response)) return response;
      discard(response);
      if (redirects === maxRedirects) {
        const { status } = response;
        throw new HttpError(`${where(url)} leads from one place to the next without end.`, { status });
      }
      target = redirectTarget(response, target, method);
    }
  }

  async #attempt(url: URL, init: RequestInit & { readonly method: string }): Promise<Response> {
    try {
      return await this.#fetch(url, init);
    } catch (error) {
      // By the standard, every failure of the network is a TypeError.
      if (init.signal?.aborted || !(error instanceof TypeError)) throw error;
      throw toCallLost(url, error);
    }
  }
}

/** Lets go of an answer that nobody reads. */
export function discard(response: Response): void {
  response.body?.cancel().catch(() => {});
}
