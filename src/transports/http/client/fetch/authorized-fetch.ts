import type { HeaderRecord } from "../../../../contract/channel.ts";
import type { AuthRequest, ClientAuth } from "../../../../contract/http-auth.ts";
import { HttpError } from "../../../../errors.ts";
import { showUrl } from "../../../../lib/text/show-url.ts";
import type { HttpClientSettings } from "../options.ts";
import { toCallLost } from "./network-failure.ts";
import { isRedirect, redirectTarget } from "./redirect.ts";

export interface AuthorizedRequest {
  readonly headers: HeaderRecord;
  readonly body?: string;
  readonly signal: AbortSignal;
  /** The revision of the message, for those who give credentials. */
  readonly revision?: string | undefined;
  /** Stops the timeout of this request, beside those of the whole connection. */
  readonly hold?: Hold;
}

/** Stops timeouts until the returned function is called. */
export type Hold = () => () => void;

const maxRedirects = 5;
// A limit that holds whatever `ClientAuth` decides.
const maxAttempts = 10;

/** Makes HTTP requests with the host's headers and credentials, and never leaves the origin. */
export class AuthorizedFetch {
  readonly #server: URL;
  readonly #fetch: HttpClientSettings["fetch"];
  readonly #headers: HttpClientSettings["headers"];
  readonly #auth: ClientAuth | undefined;
  readonly #hold: Hold;

  /** `hold` is used while credentials are obtained, which may take a user's time. */
  constructor(server: URL, settings: HttpClientSettings, hold: Hold) {
    this.#server = server;
    this.#fetch = settings.fetch;
    this.#headers = settings.headers;
    this.#auth = settings.auth;
    this.#hold = hold;
  }

  async fetch(method: "GET" | "POST" | "DELETE", url: URL, sending: AuthorizedRequest): Promise<Response> {
    const { body, signal, revision } = sending;
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
    const auth = this.#auth;
    if (auth === undefined) return this.#follow(url, init);
    for (let attempt = 0; ; attempt++) {
      let request: AuthRequest = { method, server: this.#server, url, signal, revision, attempt };
      const response = await this.#follow(url, init, (target) => {
        request = { ...request, url: target };
        return auth.authorize(request);
      });
      // The DELETE of a session does not start a login.
      if (method === "DELETE" || attempt === maxAttempts) return response;
      const decision = await this.#decide(auth, response, request, sending.hold);
      if (decision === "keep") return response;
      discardBody(response);
    }
  }

  async #decide(
    auth: ClientAuth,
    response: Response,
    request: AuthRequest,
    hold: Hold | undefined,
  ): Promise<"retry" | "keep"> {
    const decision = auth.onResponse(response, request);
    if (!(decision instanceof Promise)) return decision;
    const release = this.#hold();
    const releaseOwn = hold?.();
    try {
      return await decision;
    } catch (error) {
      discardBody(response);
      throw error;
    } finally {
      release();
      releaseOwn?.();
    }
  }

  /** Sends a request and follows redirects; each step has credentials of its own. */
  async #follow(
    url: URL,
    init: RequestInit & { readonly method: string; readonly headers: Headers },
    authorize?: (target: URL) => HeaderRecord | Promise<HeaderRecord>,
  ): Promise<Response> {
    let target = url;
    for (let redirects = 0; ; redirects++) {
      const given = authorize && (await authorize(target));
      const response = await this.#attempt(target, given ? withHeaders(init, given) : init);
      if (!isRedirect(response)) return response;
      discardBody(response);
      if (redirects === maxRedirects) {
        const { status } = response;
        throw new HttpError(`${showUrl(url)} redirects more than ${maxRedirects} times.`, { status });
      }
      target = redirectTarget(response, target, init.method);
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

function withHeaders<T extends { readonly headers: Headers }>(init: T, given: HeaderRecord): T {
  const headers = new Headers(init.headers);
  for (const [name, value] of Object.entries(given)) headers.set(name, value);
  return { ...init, headers };
}

/** Cancels a body that is not read, which frees its connection. */
export function discardBody(response: Response): void {
  response.body?.cancel().catch(() => {});
}
