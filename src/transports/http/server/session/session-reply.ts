import type { AuthRefusal } from "../../../../contract/http-auth.ts";
import { type Accepts, readAccept } from "../accept.ts";
import type { AdmittedRequest, EndpointContext } from "../endpoint-context.ts";
import { jsonHeaders } from "../error-response.ts";
import { EventConnection } from "../events/event-connection.ts";
import type { EventStream } from "../events/event-stream.ts";
import { eventStreamHeaders } from "../events/sse-encode.ts";
import type { HttpReply } from "../http-interface.ts";
import type { HttpSession } from "./http-session.ts";

/**
 * The answer to one POST of a session: JSON when there is nothing but results, else a
 * stream that survives its connection.
 */
export class SessionReply {
  readonly #endpoint: EndpointContext;
  readonly #session: HttpSession;
  readonly #reply: HttpReply;
  readonly #accepts: Accepts;
  readonly #isBatch: boolean;
  readonly #results: string[] = [];
  #open: number;
  #stream: EventStream | undefined;
  #connection: EventConnection | undefined;
  #gone = false;
  #isAbandoned = false;
  #refusal: AuthRefusal | undefined;
  readonly #abandoned: (() => void)[] = [];

  constructor(
    endpoint: EndpointContext,
    session: HttpSession,
    { http, reply }: AdmittedRequest,
    batch?: number,
  ) {
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
    if (this.#isAbandoned) listener();
    else this.#abandoned.push(listener);
  }

  /** Where messages before the answer go; undefined when the client reads no events or is gone. */
  stream(): EventStream | undefined {
    if (this.#stream || this.#gone || !this.#accepts.events) return this.#stream;
    const { pollsStreams } = this.#session.session.revision;
    this.#stream = this.#session.openStream(() => this.#abandon());
    this.#connection = new EventConnection(this.#reply.stream(eventStreamHeaders), this.#endpoint.heartbeat);
    this.#stream.start(this.#connection, pollsStreams ? this.#endpoint.sessions.retryMs : undefined);
    return this.#stream;
  }

  /** Closes the connection; the client comes back for the rest. */
  disconnect(): void {
    this.stream()?.disconnect(this.#endpoint.sessions.retryMs);
  }

  /** Says with the only result, where that comes alone, what the client must do to get a better one. */
  refuseWith(refusal: AuthRefusal | undefined): void {
    if (!this.#isBatch) this.#refusal = refusal;
  }

  /** One of the results is there, or is wanted no more. */
  finish(text: string | undefined): Promise<void> | void {
    const isLast = --this.#open === 0;
    const stream = this.#stream ?? (this.#accepts.json ? undefined : this.stream());
    if (stream) return this.#sayOn(stream, text, isLast);
    if (text !== undefined) this.#results.push(text);
    if (!isLast || this.#gone) return;
    if (this.#results.length === 0) return this.#reply.send(202, {});
    const body = this.#isBatch ? `[${this.#results.join(",")}]` : this.#results[0];
    if (this.#refusal === undefined) return this.#reply.send(200, jsonHeaders, body);
    this.#reply.send(this.#refusal.status, { ...jsonHeaders, ...this.#refusal.headers }, body);
  }

  async #sayOn(stream: EventStream, text: string | undefined, isLast: boolean): Promise<void> {
    for (const result of this.#results.splice(0)) await stream.send(result);
    if (!isLast) return text === undefined ? undefined : stream.send(text);
    this.#session.retire(stream);
    await stream.finish(text);
  }

  #onGone(): void {
    this.#gone = true;
    if (this.#stream && this.#connection) this.#stream.drop(this.#connection);
    if (!this.#stream?.isResumable) this.#abandon();
  }

  #abandon(): void {
    // The ids of what has been answered may be in use again.
    if (this.#open === 0) return;
    this.#isAbandoned = true;
    for (const listener of this.#abandoned.splice(0)) listener();
  }
}
