import type { HeaderRecord } from "../../../../contract/channel.ts";
import type { AuthRequest, ClientAuth } from "../../../../contract/http-auth.ts";
import { HttpError } from "../../../../errors.ts";
import { showUrl } from "../../../../lib/text/show-url.ts";
import type { ReceivedResponse, SendRequest, SentHttpRequest } from "../http-exchange.ts";
import { type LightSignal, toAbortSignal } from "../light-signal.ts";
import type { HttpClientSettings, OpenSettings } from "../options.ts";
import { isRedirect, redirectTarget } from "./redirect.ts";

export interface AuthorizedRequest {
  /** Later ones win. */
  readonly headers: readonly (HeaderRecord | undefined)[];
  readonly body?: string;
  readonly signal: AbortSignal | LightSignal;
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
  readonly #send: SendRequest;
  readonly #headers: HttpClientSettings["headers"];
  readonly #auth: ClientAuth | undefined;
  readonly #hold: Hold;
  #isAnswered = false;

  /** `hold` is used while credentials are obtained, which may take a user's time. */
  constructor(server: URL, settings: OpenSettings, hold: Hold) {
    this.#server = server;
    this.#send = settings.send;
    this.#headers = settings.headers;
    this.#auth = settings.auth;
    this.#hold = hold;
  }

  /** True once the server has answered any request, at least with the head of a response. */
  get isAnswered(): boolean {
    return this.#isAnswered;
  }

  async fetch(
    method: "GET" | "POST" | "DELETE",
    url: URL,
    sending: AuthorizedRequest,
  ): Promise<ReceivedResponse> {
    const { body, revision } = sending;
    const given = typeof this.#headers === "function" ? await this.#headers() : this.#headers;
    const sent = { method, headers: joinHeaders(given, ...sending.headers), body, signal: sending.signal };
    const auth = this.#auth;
    if (auth === undefined) return await this.#follow(url, sent);
    const signal = toAbortSignal(sending.signal);
    for (let attempt = 0; ; attempt++) {
      let request: AuthRequest = { method, server: this.#server, url, signal, revision, attempt };
      const response = await this.#follow(url, sent, (target) => {
        request = { ...request, url: target };
        return auth.authorize(request);
      });
      // The DELETE of a session does not start a login.
      if (method === "DELETE" || attempt === maxAttempts) return response;
      const decision = await this.#decide(auth, response, request, sending.hold);
      if (decision === "keep") return response;
      response.discardBody();
    }
  }

  async #decide(
    auth: ClientAuth,
    response: ReceivedResponse,
    request: AuthRequest,
    hold: Hold | undefined,
  ): Promise<"retry" | "keep"> {
    const decision = auth.onResponse(response.toHead(), request);
    if (!(decision instanceof Promise)) return decision;
    const release = this.#hold();
    const releaseOwn = hold?.();
    try {
      return await decision;
    } catch (error) {
      response.discardBody();
      throw error;
    } finally {
      release();
      releaseOwn?.();
    }
  }

  /** Sends a request and follows redirects; each step has credentials of its own. */
  async #follow(
    url: URL,
    sent: SentHttpRequest,
    authorize?: (target: URL) => HeaderRecord | Promise<HeaderRecord>,
  ): Promise<ReceivedResponse> {
    let target = url;
    for (let redirects = 0; ; redirects++) {
      const given = authorize && (await authorize(target));
      const response = await this.#send(
        target,
        given ? { ...sent, headers: joinHeaders(sent.headers, given) } : sent,
      );
      this.#isAnswered = true;
      if (!isRedirect(response)) return response;
      response.discardBody();
      if (redirects === maxRedirects) {
        const { status } = response;
        throw new HttpError(`${showUrl(url)} redirects more than ${maxRedirects} times.`, { status });
      }
      target = redirectTarget(response, target, sent.method);
    }
  }
}

/** All headers, by lower-case names; later ones win. */
function joinHeaders(...all: readonly (HeaderRecord | Headers | undefined)[]): HeaderRecord {
  const joined: Record<string, string> = {};
  for (const headers of all) {
    const record = headers instanceof Headers ? Object.fromEntries(headers) : headers;
    for (const name in record) joined[name.toLowerCase()] = record[name] ?? "";
  }
  return joined;
}
