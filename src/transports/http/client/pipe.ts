import type { HeaderRecord } from "../../../contract/channel.ts";
import type { Pipe, PipeSink } from "../../../contract/pipe.ts";
import { CallLostError, ConnectionClosedError, type HttpError } from "../../../errors.ts";
import { Semaphore } from "../../../lib/async/semaphore.ts";
import { sleep } from "../../../lib/async/sleep.ts";
import { ShortLivedMap } from "../../../lib/short-lived-map.ts";
import { showUrl } from "../../../lib/text/show-url.ts";
import type { RequestId, RpcNotification, RpcRequest } from "../../../protocol/message.ts";
import { methods } from "../../../protocol/method-table.ts";
import type { Revision } from "../../../protocol/revision.ts";
import { AuthorizedFetch, type Hold } from "./fetch/authorized-fetch.ts";
import { asksForCredentials, type HttpErrorResponse } from "./fetch/error-response.ts";
import type { OpenSettings } from "./options.ts";
import { retryAfterMs } from "./recovery/retry-after.ts";
import { RetryDelay } from "./recovery/retry-delay.ts";
import { OpenRequest } from "./shapes/open-request.ts";
import { ShapeChoice, type ShapeName } from "./shapes/shape-choice.ts";
import type { HttpShape, ShapeParts } from "./shapes/shape-interface.ts";

export interface HttpPipeOptions {
  readonly url: URL;
  readonly settings: OpenSettings;
  readonly shape: string | undefined;
  readonly hold: Hold | undefined;
  revision(): Revision | undefined;
  onProblem(problem: Error): void;
  /** The server has forgotten the session: nothing works until it is initialized again. */
  onLost(): void;
}

/** Responses of ours that are posted at once: a server may ask thousands of times, and each has a connection. */
const maxReplyPosts = 16;

/** HTTP as a pipe of messages: every message is an HTTP request of its own. */
export class HttpPipe implements Pipe {
  readonly kind = "http";
  readonly closesPerRequest = true;
  readonly #options: HttpPipeOptions;
  readonly #closing = new AbortController();
  readonly #openPosts = new Set<AbortController>();
  readonly #requests = new ShortLivedMap<RequestId, OpenRequest>();
  readonly #replies = new Semaphore(maxReplyPosts);
  readonly #unsent = new Set<Promise<void>>();
  #sink: PipeSink | undefined;
  #http: AuthorizedFetch | undefined;
  #choice: ShapeChoice | undefined;
  #isLost = false;
  /** The last refusal by a server that is busy. */
  #refusal: HttpError | undefined;

  constructor(options: HttpPipeOptions) {
    this.#options = options;
  }

  get shape(): ShapeName | undefined {
    return this.#choice?.name;
  }

  /** True when the server has forgotten the session, so that it must be initialized again. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** Marks the session as lost; false when there is none. */
  markSessionLost(): boolean {
    const isOpen = this.#options.revision()?.opening === "handshake";
    if (isOpen && this.#choice) this.#onLost(this.#choice.shape);
    return isOpen;
  }

  start(sink: PipeSink): void {
    const { url, settings, shape, revision, onProblem, hold } = this.#options;
    const holds = [hold, sink.hold && (() => sink.hold?.())];
    const http = new AuthorizedFetch(url, settings, () => {
      const releases = holds.map((stop) => stop?.());
      return () => {
        for (const release of releases) release?.();
      };
    });
    const parts: ShapeParts = {
      url,
      sink,
      revision,
      onProblem,
      http,
      heartbeat: { hasHeartbeat: false, silenceMs: settings.silenceMs },
      maxBytes: settings.maxMessageBytes,
      closeMs: settings.closeMs,
      closing: this.#closing.signal,
      openPosts: this.#openPosts,
      onLost: (lost) => this.#onLost(lost),
    };
    this.#sink = sink;
    this.#http = http;
    this.#choice = new ShapeChoice(parts, shape);
  }

  write(text: string, message?: RpcRequest | RpcNotification, headers?: HeaderRecord): Promise<void> {
    if (message === undefined) return this.#sendReply(text);
    if (message.kind === "notification") return this.#open().shape.post(text, message);
    return this.#request(text, message, headers);
  }

  async answersSent(): Promise<void> {
    await Promise.allSettled(this.#unsent);
  }

  async #sendReply(text: string): Promise<void> {
    const sending = this.#replies.run(() => this.#reply(text));
    this.#unsent.add(sending);
    try {
      await sending;
    } finally {
      this.#unsent.delete(sending);
    }
  }

  /** Posts a response of ours, unless the connection was closed while it waited for its turn. */
  async #reply(text: string): Promise<void> {
    if (!this.#closing.signal.aborted) await this.#open().shape.post(text);
  }

  explainSilence(): Error | undefined {
    if (this.#refusal || this.#http === undefined) return this.#refusal;
    const silence = this.#http.isAnswered
      ? "has begun an answer, and sends nothing more; the server may hang."
      : "has sent nothing. Check that an HTTP server listens on this port, and that it does not hang.";
    const url = showUrl(this.#options.url);
    return new CallLostError(`${url} ${silence}`, { lost: "connection", mayRetry: false });
  }

  settled(id: RequestId, by: "answer" | "us"): void {
    this.#requests.get(id)?.settle(by);
  }

  async close(): Promise<void> {
    const closed = new ConnectionClosedError("The connection is closed.");
    this.#closing.abort(closed);
    for (const controller of this.#openPosts) controller.abort(closed);
    for (const request of this.#requests.all()) request.drop();
    await this.#choice?.shape.close();
  }

  async #request(text: string, message: RpcRequest, headers: HeaderRecord | undefined): Promise<void> {
    const request = new OpenRequest(message, headers);
    this.#requests.set(message.id, request);
    try {
      const errorResponse = await this.#requestOnce(text, message, request);
      if (errorResponse) await this.#requestAgain(errorResponse, text, message, request);
    } catch (error) {
      request.drop();
      // An error after the request has settled has no one to go to.
      if (!request.isOver) throw error;
    } finally {
      this.#requests.delete(message.id);
    }
  }

  #requestOnce(
    text: string,
    message: RpcRequest,
    request: OpenRequest,
  ): Promise<HttpErrorResponse | undefined> {
    if (methods.get(message.method)?.opens) return this.#initialize(text, message, request);
    return this.#open().shape.request(text, message, request);
  }

  /** Sends a request again when a busy server wants it, as long as the request has time left. */
  async #requestAgain(
    refused: HttpErrorResponse,
    text: string,
    message: RpcRequest,
    request: OpenRequest,
  ): Promise<void> {
    const delay = new RetryDelay();
    let errorResponse: HttpErrorResponse | undefined = refused;
    while (errorResponse !== undefined) {
      const waitMs = retryAfterMs(errorResponse, this.#sink?.timeLeft?.(message.id) ?? 0);
      if (waitMs === undefined) return this.#onErrorResponse(errorResponse, request);
      this.#refusal = errorResponse.error;
      await sleep(delay.next(waitMs), request.signal);
      errorResponse = await this.#requestOnce(text, message, request);
    }
  }

  async #initialize(
    text: string,
    message: RpcRequest,
    request: OpenRequest,
  ): Promise<HttpErrorResponse | undefined> {
    const errorResponse = await this.#open().initialize(text, message, request);
    if (errorResponse === undefined) this.#isLost = false;
    return errorResponse;
  }

  /** Takes an error response that is a message as the answer, unless it is about credentials or the path. */
  #onErrorResponse({ text, failure, status, error }: HttpErrorResponse, request: OpenRequest): void {
    const isWrongPath = status === 404 && failure?.id !== request.id;
    if (failure === undefined || isWrongPath || asksForCredentials(status)) throw error;
    this.#sink?.onText(text, request.id);
  }

  #onLost(shape: HttpShape): void {
    if (shape !== this.#choice?.shape || this.#isLost) return;
    this.#isLost = true;
    this.#options.onLost();
  }

  #open(): ShapeChoice {
    if (this.#choice === undefined) throw new ConnectionClosedError("The connection is not open.");
    return this.#choice;
  }
}
