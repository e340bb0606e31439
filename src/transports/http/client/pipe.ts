import type { HeaderRecord } from "../../../contract/channel.ts";
import type { Pipe, PipeSink } from "../../../contract/pipe.ts";
import { ConnectionClosedError } from "../../../errors.ts";
import type { RequestId, RpcNotification, RpcRequest } from "../../../protocol/message.ts";
import { methods } from "../../../protocol/methods.ts";
import type { Revision } from "../../../protocol/revision.ts";
import { AuthorizedFetch, type Hold } from "./fetch/authorized-fetch.ts";
import type { HttpErrorResponse } from "./fetch/error-response.ts";
import type { HttpClientSettings } from "./options.ts";
import { HttpSseShape } from "./shapes/http-sse-2024.ts";
import { OpenRequest } from "./shapes/open-request.ts";
import { asksForCredentials } from "./shapes/post-one-way.ts";
import type { HttpShape, ShapeParts } from "./shapes/shape.ts";
import { StreamableHttpShape } from "./shapes/streamable-http.ts";

export interface HttpPipeOptions {
  readonly url: URL;
  readonly settings: HttpClientSettings;
  readonly shape: string | undefined;
  readonly hold: Hold | undefined;
  revision(): Revision | undefined;
  onProblem(problem: Error): void;
  /** The server has forgotten the session: nothing works until it is initialized again. */
  onLost(): void;
}

/** How a server is spoken to: all on one endpoint, or with a stream beside it. */
type Shape = "streamable" | "sse";

/** Statuses by which a server without the one endpoint refuses a POST to it. */
const elsewhere: readonly number[] = [400, 404, 405];

/** HTTP as a pipe of messages: every message is a request of its own, and answers come where they will. */
export class HttpPipe implements Pipe {
  readonly kind = "http";
  readonly #options: HttpPipeOptions;
  readonly #closing = new AbortController();
  readonly #telling = new Set<AbortController>();
  readonly #pending = new Map<RequestId, OpenRequest>();
  #shape: Shape;
  #line: HttpShape | undefined;
  #parts: ShapeParts | undefined;
  #isLost = false;

  constructor(options: HttpPipeOptions) {
    this.#options = options;
    this.#shape = options.shape === "sse" ? "sse" : "streamable";
  }

  get shape(): Shape {
    return this.#shape;
  }

  /** Whether the server has forgotten the session, so that it must be initialized again. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** Takes note that the server has forgotten the session, if there is one. */
  markSessionLost(): boolean {
    const isOpen = this.#options.revision()?.opening === "handshake";
    if (isOpen && this.#line) this.#onLost(this.#line);
    return isOpen;
  }

  start(sink: PipeSink): void {
    const { url, settings, revision, onProblem, hold } = this.#options;
    const holds = [hold, sink.hold && (() => sink.hold?.())];
    this.#parts = {
      url,
      sink,
      revision,
      onProblem,
      sender: new AuthorizedFetch(url, settings, () => {
        const releases = holds.map((stop) => stop?.());
        return () => {
          for (const release of releases) release?.();
        };
      }),
      pulse: { hasHeartbeat: false, silenceMs: settings.silenceMs },
      maxBytes: settings.maxMessageBytes,
      closeMs: settings.closeMs,
      closing: this.#closing.signal,
      openPosts: this.#telling,
      onLost: (line) => this.#onLost(line),
    };
    this.#line = new StreamableHttpShape(this.#parts);
  }

  write(text: string, message?: RpcRequest | RpcNotification, headers?: HeaderRecord): Promise<void> {
    if (message?.kind !== "request") return this.#open().line.post(text, message);
    return this.#request(text, message, headers);
  }

  settled(id: RequestId, by: "answer" | "us"): void {
    this.#pending.get(id)?.settle(by);
  }

  async close(): Promise<void> {
    const closed = new ConnectionClosedError("The connection is closed.");
    this.#closing.abort(closed);
    for (const controller of this.#telling) controller.abort(closed);
    for (const pending of this.#pending.values()) pending.drop();
    await this.#line?.close();
  }

  async #request(text: string, message: RpcRequest, headers: HeaderRecord | undefined): Promise<void> {
    const pending = new OpenRequest(message, headers);
    this.#pending.set(message.id, pending);
    try {
      const refusal = methods.get(message.method)?.opens
        ? await this.#initialize(text, message, pending)
        : await this.#open().line.request(text, message, pending);
      if (refusal) this.#refuse(refusal, pending);
    } catch (error) {
      pending.drop();
      // What happens after nobody waits any more is nobody's business.
      if (!pending.isOver) throw error;
    } finally {
      this.#pending.delete(message.id);
    }
  }

  /** Opens the conversation in the one shape that the server knows, beginning with the likeliest. */
  async #initialize(
    text: string,
    message: RpcRequest,
    pending: OpenRequest,
  ): Promise<HttpErrorResponse | undefined> {
    if (this.#shape === "sse" && (await this.#useStream(pending))) return this.#begin(text, message, pending);
    const { parts, line } = this.#open();
    if (!(line instanceof StreamableHttpShape)) this.#line = new StreamableHttpShape(parts);
    this.#shape = "streamable";
    const refusal = await this.#begin(text, message, pending);
    const isAnswer = refusal?.failure?.id === message.id;
    if (refusal === undefined || isAnswer || !elsewhere.includes(refusal.status)) return refusal;
    return (await this.#useStream(pending)) ? this.#begin(text, message, pending) : refusal;
  }

  async #begin(
    text: string,
    message: RpcRequest,
    pending: OpenRequest,
  ): Promise<HttpErrorResponse | undefined> {
    const refusal = await this.#open().line.request(text, message, pending);
    if (refusal === undefined) this.#isLost = false;
    return refusal;
  }

  async #useStream({ signal }: OpenRequest): Promise<boolean> {
    const { parts } = this.#open();
    const line = await HttpSseShape.open(parts, signal);
    if (line === undefined) return false;
    await this.#line?.close();
    this.#line = line;
    this.#shape = "sse";
    return true;
  }

  /** A refusal that is a message is the answer, unless it is about who asks, or where. */
  #refuse({ text, failure, status, error }: HttpErrorResponse, pending: OpenRequest): void {
    const isElsewhere = status === 404 && failure?.id !== pending.id;
    if (failure === undefined || isElsewhere || asksForCredentials(status)) throw error;
    this.#open().parts.sink.onText(text, pending.id);
  }

  #onLost(line: HttpShape): void {
    if (line !== this.#line || this.#isLost) return;
    this.#isLost = true;
    this.#options.onLost();
  }

  #open(): { readonly line: HttpShape; readonly parts: ShapeParts } {
    if (this.#line === undefined || this.#parts === undefined)
      throw new ConnectionClosedError("The connection is not open.");
    return { line: this.#line, parts: this.#parts };
  }
}
