import { type Accepts, readAccept } from "./accept.ts";
import type { Endpoint, Visitor } from "./endpoint.ts";
import { EventConnection } from "./event-connection.ts";
import type { HttpReply } from "./exchange.ts";
import type { HttpSession } from "./http-session.ts";
import { jsonHeaders } from "./refuse.ts";
import type { ResumableStream } from "./resumable-stream.ts";
import { eventStreamHeaders } from "./sse-write.ts";

/**
 * The answer to one POST of a session: JSON when there is nothing but results, else a
 * stream that survives its connection.
 */
export class SessionReply {
  readonly #endpoint: Endpoint;
  readonly #session: HttpSession;
  readonly #reply: HttpReply;
  readonly #accepts: Accepts;
  readonly #isBatch: boolean;
  readonly #results: string[] = [];
  #open: number;
  #stream: ResumableStream | undefined;
  #connection: EventConnection | undefined;
  #gone = false;
  readonly #abandoned: (() => void)[] = [];

  constructor(endpoint: Endpoint, session: HttpSession, { http, reply }: Visitor, batch?: number) {
    this.#endpoint = endpoint;
    this.#session = session;
    this.#reply = reply;
    this.#accepts = readAccept(http.header("accept"));
    this.#isBatch = batch !== undefined;
    this.#open = batch ?? 1;
    reply.onGone(() => this.#onGone());
  }

  /** Told when nobody can get the answer any more. */
  onAbandoned(listener: () => void): void {
    this.#abandoned.push(listener);
  }

  /** Where messages before the answer go; undefined when the client reads no events or is gone. */
  stream(): ResumableStream | undefined {
    if (this.#stream || this.#gone || !this.#accepts.events) return this.#stream;
    const { pollsStreams } = this.#session.session.revision;
    this.#stream = this.#session.openStream();
    this.#connection = new EventConnection(this.#reply.stream(eventStreamHeaders), this.#endpoint.heartbeat);
    this.#stream.start(this.#connection, pollsStreams ? this.#endpoint.sessions.retryMs : undefined);
    return this.#stream;
  }

  /** Closes the connection; the client comes back for the rest. */
  disconnect(): void {
    this.stream()?.disconnect(this.#endpoint.sessions.retryMs);
    this.#forgetLater();
  }

  /** One of the results is there. */
  async finish(text: string): Promise<void> {
    const isLast = --this.#open === 0;
    const stream = this.#stream ?? (this.#accepts.json ? undefined : this.stream());
    if (stream) return isLast ? this.#finishStream(stream, text) : stream.say(text);
    this.#results.push(text);
    if (!isLast || this.#gone) return;
    const body = this.#isBatch ? `[${this.#results.join(",")}]` : this.#results[0];
    this.#reply.send(200, jsonHeaders, body);
  }

  async #finishStream(stream: ResumableStream, text: string): Promise<void> {
    for (const result of this.#results.splice(0)) await stream.say(result);
    await stream.finish(text);
    this.#forgetLater();
  }

  #onGone(): void {
    this.#gone = true;
    if (this.#stream === undefined) return this.#abandon();
    if (this.#connection) this.#stream.drop(this.#connection);
    this.#forgetLater();
  }

  #abandon(): void {
    for (const listener of this.#abandoned.splice(0)) listener();
  }

  /** The client has a while to come back; then the call is for nobody. */
  #forgetLater(): void {
    const stream = this.#stream;
    if (stream === undefined) return;
    setTimeout(() => {
      if (stream.connected) return;
      if (!stream.finished) this.#abandon();
      void this.#session.forget(stream);
    }, this.#endpoint.sessions.resumeMs);
  }
}
