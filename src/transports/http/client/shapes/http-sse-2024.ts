import type { HeaderRecord } from "../../../../contract/channel.ts";
import { CallLostError, InvalidResponseError } from "../../../../errors.ts";
import { showUrl } from "../../../../lib/text/show-url.ts";
import type { RpcNotification, RpcRequest } from "../../../../protocol/message.ts";
import { type HttpErrorResponse, toPostError } from "../fetch/error-response.ts";
import { openEventStream } from "../fetch/open-event-stream.ts";
import { readEventStream } from "../fetch/read-event-stream.ts";
import { isSessionLost, toSessionLoss } from "../recovery/session-loss.ts";
import { sessionHeaders } from "./client-session.ts";
import type { OpenRequest } from "./open-request.ts";
import { postOneWay } from "./post-one-way.ts";
import type { HttpShape, ShapeParts } from "./shape-interface.ts";

const endpointMs = 5_000;

/**
 * HTTP+SSE: all answers come on one stream of events, whose first event names the URL to post to.
 *
 * basic/transports#http-with-sse (2024-11-05)
 */
export class HttpSseShape implements HttpShape {
  readonly #parts: ShapeParts;
  readonly #ending: AbortController;
  readonly #endpoint: URL;
  /** Rejects the requests that wait, when the stream is gone. */
  readonly #waiting = new Set<(error: Error) => void>();
  #end: CallLostError | undefined;

  private constructor(parts: ShapeParts, ending: AbortController, stream: Stream) {
    this.#parts = parts;
    this.#ending = ending;
    this.#endpoint = stream.endpoint;
    void stream.ended.then(() => this.#onEnd());
  }

  /** Opens the stream; undefined when the server names no endpoint on it in time. */
  static async open(parts: ShapeParts, signal: AbortSignal): Promise<OpenedSse | undefined> {
    const ending = new AbortController();
    const giveUp = () => ending.abort();
    const late = setTimeout(giveUp, endpointMs);
    signal.addEventListener("abort", giveUp, { once: true });
    try {
      const opened = await openStream(parts, ending.signal);
      if (opened === undefined || opened.kind === "refused") return opened;
      return { kind: "open", shape: new HttpSseShape(parts, ending, opened) };
    } catch (error) {
      if (ending.signal.aborted) return undefined;
      giveUp();
      throw error;
    } finally {
      clearTimeout(late);
      signal.removeEventListener("abort", giveUp);
    }
  }

  async request(
    text: string,
    _message: RpcRequest,
    request: OpenRequest,
  ): Promise<HttpErrorResponse | undefined> {
    const errorResponse = await this.#untilEnd(this.#post(text, request.headers));
    if (errorResponse === undefined) await this.#untilEnd(request.untilSettled());
    return errorResponse;
  }

  async post(text: string, _message?: RpcNotification): Promise<void> {
    const errorResponse = await this.#post(text);
    if (errorResponse) throw toPostError(errorResponse);
  }

  async close(): Promise<void> {
    this.#ending.abort();
  }

  async #post(text: string, brought?: HeaderRecord): Promise<HttpErrorResponse | undefined> {
    const headers = { ...brought, ...sessionHeaders(undefined, this.#parts.revision()) };
    const errorResponse = await postOneWay(this.#parts, this.#endpoint, text, headers);
    if (errorResponse === undefined || !isSessionLost(errorResponse)) return errorResponse;
    this.#ending.abort();
    this.#parts.onLost(this);
    throw toSessionLoss(errorResponse);
  }

  /** Waits for work until the stream ends. `Promise.race` with one lasting promise would leak a reaction per call. */
  #untilEnd<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#end) reject(this.#end);
      else this.#waiting.add(reject);
      const settle = () => this.#waiting.delete(reject);
      work.finally(settle).then(resolve, reject);
    });
  }

  #onEnd(): void {
    if (!this.#ending.signal.aborted) this.#parts.onLost(this);
    this.#end = new CallLostError("The stream on which the answer would have come is gone.", {
      lost: "session",
      mayRetry: false,
    });
    for (const reject of this.#waiting) reject(this.#end);
    this.#waiting.clear();
  }
}

/** The outcome of the GET. */
export type OpenedSse =
  | { readonly kind: "open"; readonly shape: HttpSseShape }
  | { readonly kind: "refused"; readonly errorResponse: HttpErrorResponse };

interface Stream {
  readonly kind: "stream";
  readonly endpoint: URL;
  readonly ended: Promise<void>;
}

type OpenedStream = Stream | Extract<OpenedSse, { readonly kind: "refused" }>;

async function openStream(parts: ShapeParts, ending: AbortSignal): Promise<OpenedStream | undefined> {
  const { url, closing, sink, onProblem } = parts;
  const signal = AbortSignal.any([ending, closing]);
  const opened = await openEventStream(parts, {}, signal);
  if (opened.kind === "refused") return opened;
  if (opened.kind === "something-else") return undefined;
  return new Promise((resolve, reject) => {
    let endpoint: URL | undefined;
    const reading = readEventStream(opened.response, parts, {
      // One stream carries all answers.
      onActivity: () => sink.onActivity?.(),
      onMessage: (text) => sink.onText(text),
      onOther: (kind, data) => {
        if (kind !== "endpoint" || endpoint) return;
        endpoint = toEndpointUrl(data, url);
        resolve({ kind: "stream", endpoint, ended });
      },
    });
    const ended = reading.catch((error: Error) => {
      // A stream that ends before it names an endpoint is one of another kind.
      if (endpoint === undefined) error instanceof CallLostError ? resolve(undefined) : reject(error);
      else if (!signal.aborted) onProblem(error);
    });
    void ended.then(() => resolve(undefined));
  });
}

/** The URL to post messages to, as an `endpoint` event gives it. Refused if it is of another origin. */
export function toEndpointUrl(data: string, from: URL): URL {
  const given = data.trim();
  const url = URL.canParse(given, from) ? new URL(given, from) : undefined;
  if (url === undefined || url.origin !== from.origin || url.username !== "" || url.password !== "") {
    const shown = JSON.stringify(given.slice(0, 200));
    throw new InvalidResponseError(
      `${showUrl(from)} wants messages posted to ${shown}, which is not within its origin.`,
    );
  }
  return url;
}
