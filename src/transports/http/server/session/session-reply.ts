import type { AuthRefusal } from "../../../../contract/http-auth.ts";
import type { RequestId } from "../../../../protocol/message.ts";
import type { AdmittedRequest } from "../admission/admission.ts";
import type { EndpointContext } from "../endpoint-context.ts";
import { jsonHeaders, sendError } from "../error-response.ts";
import type { EventStream } from "../events/event-stream.ts";
import { JsonOrEvents } from "../events/json-or-events.ts";
import { SilentCall } from "../events/silent-call.ts";
import type { StreamedRequest } from "../events/stream-record.ts";
import type { HttpReply } from "../http-interface.ts";
import type { HttpSession } from "./http-session.ts";

/** The status and headers with which a single error is sent. */
export type HttpRefusal = Pick<AuthRefusal, "status" | "headers">;

/** The requests of one POST. */
export interface AnsweredRequests {
  /** The number of answers, where they are those of a batch. */
  readonly batchSize?: number | undefined;
  /** The facts about them that other nodes need, where there are any. */
  readonly requests?: readonly StreamedRequest[] | undefined;
}

/** Answers a request of a session that is not there, or has ended: basic/transports#session-management (2025-11-25). */
export function sendSessionNotFound(reply: HttpReply, id?: RequestId): void {
  sendError(reply, 404, "Session not found; initialize again.", { id });
}

/** The answer to one POST of a session, with one result or a batch of them. An event stream survives its connection. */
export class SessionReply {
  readonly #context: EndpointContext;
  readonly #session: HttpSession;
  readonly #reply: HttpReply;
  readonly #response: JsonOrEvents;
  readonly #isBatch: boolean;
  readonly #requests: readonly StreamedRequest[] | undefined;
  readonly #results: string[] = [];
  #unanswered: number;
  #stream: EventStream | undefined;
  #silence: SilentCall | undefined;
  #gone = false;
  #isAbandoned = false;
  #isFinished = false;
  #refusal: HttpRefusal | undefined;
  readonly #onAbandoned: (() => void)[] = [];

  constructor(
    context: EndpointContext,
    session: HttpSession,
    { reply, accepts }: AdmittedRequest,
    { batchSize, requests }: AnsweredRequests = {},
  ) {
    this.#context = context;
    this.#requests = requests;
    this.#session = session;
    this.#reply = reply;
    this.#response = new JsonOrEvents(reply, accepts, context.heartbeat);
    this.#isBatch = batchSize !== undefined;
    this.#unanswered = batchSize ?? 1;
    reply.onGone(() => this.#onGone());
  }

  /** Calls the listener when nobody can get the answer any more. */
  onAbandoned(listener: () => void): void {
    if (this.#isAbandoned) listener();
    else this.#onAbandoned.push(listener);
  }

  /** The stream for messages before the answer; undefined when the client takes no events, is gone or has the answer. */
  stream(): EventStream | undefined {
    if (this.#stream || this.#gone || this.#isFinished || !this.#response.takesEvents) return this.#stream;
    const { pollsStreams } = this.#session.session.revision;
    this.#stream = this.#session.streams.open(this.#requests, () => this.#abandon());
    this.#stream.start(this.#response.stream(), pollsStreams ? this.#context.sessions.retryMs : undefined);
    return this.#stream;
  }

  /** Shows the client signs of life while an answer is awaited. */
  awaitAnswer(): void {
    if (this.#response.takesEvents) this.#silence ??= new SilentCall(this.#context.heartbeat, this);
  }

  /** Closes the connection; the client comes back for the rest. */
  disconnect(): void {
    this.stream()?.disconnect(this.#context.sessions.retryMs);
  }

  /** Sends the only result, where it goes as JSON, with the status and headers of a refusal. */
  refuseWith(refusal: HttpRefusal | undefined): void {
    if (!this.#isBatch) this.#refusal = refusal;
  }

  /** Takes one of the results; undefined for a call that the client has cancelled. */
  finish(text: string | undefined): Promise<void> | void {
    const isLast = --this.#unanswered === 0;
    const stream = this.#stream ?? (this.#response.takesJson ? undefined : this.stream());
    this.#isFinished = isLast;
    if (isLast) this.#silence?.end();
    if (stream) return this.#sendOn(stream, text, isLast);
    if (text !== undefined) this.#results.push(text);
    if (!isLast || this.#gone) return;
    const [first] = this.#results;
    if (first === undefined) return this.#reply.send(202, {});
    const body = this.#isBatch ? `[${this.#results.join(",")}]` : first;
    if (this.#refusal === undefined) return this.#response.finish(200, jsonHeaders, body);
    const { status, headers } = this.#refusal;
    this.#response.finish(status, { ...jsonHeaders, ...headers }, body);
  }

  async #sendOn(stream: EventStream, text: string | undefined, isLast: boolean): Promise<void> {
    for (const result of this.#results.splice(0)) await stream.send(result);
    if (!isLast) return text === undefined ? undefined : stream.send(text);
    this.#session.streams.retire(stream);
    await stream.finish(text);
  }

  #onGone(): void {
    this.#gone = true;
    this.#silence?.end();
    const { connection } = this.#response;
    if (this.#stream && connection) this.#stream.onDisconnected(connection);
    if (!this.#stream?.isResumable) this.#abandon();
  }

  #abandon(): void {
    // The ids of calls that were answered may be in use again.
    if (this.#unanswered === 0) return;
    this.#isAbandoned = true;
    this.#context.requests.abandon(this.#reply);
    for (const listener of this.#onAbandoned.splice(0)) listener();
  }
}
