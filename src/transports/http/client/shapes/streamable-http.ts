import type { HeaderRecord } from "../../../../contract/channel.ts";
import { type CallLostError, InvalidResponseError, NotInRevisionError } from "../../../../errors.ts";
import type { RpcNotification, RpcRequest } from "../../../../protocol/message.ts";
import { readProtocolVersion } from "../../../../protocol/meta.ts";
import { methods } from "../../../../protocol/methods.ts";
import { discardBody } from "../fetch/authorized-fetch.ts";
import {
  type HttpErrorResponse,
  isSessionLost,
  readErrorResponse,
  saysSessionIsLost,
  toSessionLoss,
} from "../fetch/error-response.ts";
import { isEventStream } from "../fetch/open-event-stream.ts";
import { mediaTypeOf, readMessage } from "../fetch/read-body.ts";
import { readAnswerStream } from "./answer-stream.ts";
import { ClientSession, sessionHeaders } from "./client-session.ts";
import type { OpenRequest } from "./open-request.ts";
import { postOneWay, toPostError } from "./post-one-way.ts";
import { type HttpShape, postHeaders, type ShapeParts } from "./shape.ts";
import { StandaloneStream } from "./standalone-stream.ts";

/** One endpoint: each message is a POST of its own, answered by JSON or by a stream of events. */
export class StreamableHttpShape implements HttpShape {
  readonly #parts: ShapeParts;
  #session: ClientSession | undefined;

  constructor(parts: ShapeParts) {
    this.#parts = parts;
  }

  async request(
    text: string,
    message: RpcRequest,
    pending: OpenRequest,
  ): Promise<HttpErrorResponse | undefined> {
    const { url, sender } = this.#parts;
    const opens = methods.get(message.method)?.opens === true;
    const session = opens ? undefined : this.#session;
    const version = readProtocolVersion(message.params);
    const headers = this.#headersOf(message, version, session);
    const response = await sender.fetch("POST", url, {
      headers: { ...pending.headers, ...postHeaders, ...headers },
      body: text,
      signal: pending.signal,
    });
    if (!response.ok) {
      const refusal = await readErrorResponse(response, "POST", url);
      const loss = this.#toLoss(refusal, session, pending);
      if (loss) throw loss;
      return refusal;
    }
    if (opens) this.#begin(response);
    await this.#readAnswer(response, pending, {
      resumeWith: version === undefined ? headers : undefined,
      onRefused: (refusal) => {
        // Not found may also be the stream, so only words count here.
        if (session?.id !== undefined && saysSessionIsLost(refusal)) this.#lose(session);
      },
    });
    return undefined;
  }

  async post(text: string, message?: RpcNotification): Promise<void> {
    const revision = this.#parts.revision();
    if (revision?.opening === "each-request") {
      // Nothing is asked of us here, so that there is nothing to answer; and nobody hears notifications.
      if (message) throw new NotInRevisionError(`${message.method} over HTTP`, revision.version);
      return;
    }
    const session = this.#session;
    const headers = sessionHeaders(session, revision);
    const refusal = await postOneWay(this.#parts, this.#parts.url, text, headers);
    if (refusal) throw this.#toLoss(refusal, session) ?? toPostError(refusal);
    if (message?.method === "notifications/initialized" && session) this.#listen(session);
  }

  /** Ends the session, and tells the server, which may take or leave it. */
  async close(): Promise<void> {
    const { sender, url, closeMs, revision } = this.#parts;
    const session = this.#session;
    session?.end();
    if (session?.id === undefined || session.isLost) return;
    const headers = sessionHeaders(session, revision());
    try {
      discardBody(await sender.fetch("DELETE", url, { headers, signal: AbortSignal.timeout(closeMs) }));
    } catch {
      // Then the server forgets the session in its own time.
    }
  }

  #headersOf(
    message: RpcRequest,
    version: string | undefined,
    session: ClientSession | undefined,
  ): HeaderRecord {
    if (version !== undefined) return { "mcp-protocol-version": version, "mcp-method": message.method };
    return methods.get(message.method)?.opens ? {} : sessionHeaders(session, this.#parts.revision());
  }

  #begin(response: Response): void {
    const session = new ClientSession(response);
    this.#session?.end();
    this.#session = session;
  }

  #listen(session: ClientSession): void {
    const { closing, revision } = this.#parts;
    const stream = new StandaloneStream({
      line: this.#parts,
      signal: AbortSignal.any([session.ending, closing]),
      headers: () => sessionHeaders(session, revision()),
      hasSessionId: session.id !== undefined,
      onLost: () => this.#lose(session),
    });
    void stream.hold();
  }

  async #readAnswer(
    response: Response,
    pending: OpenRequest,
    stream: {
      readonly resumeWith: HeaderRecord | undefined;
      onRefused(refusal: HttpErrorResponse): void;
    },
  ): Promise<void> {
    const { sink, maxBytes } = this.#parts;
    if (isEventStream(response)) await readAnswerStream(response, { line: this.#parts, pending, ...stream });
    else {
      const text = await readMessage(response, maxBytes, pending.id);
      if (!/^\s*[{[]/.test(text)) throw notAMessage(response, pending, text);
      sink.onText(text, pending.id);
    }
    if (!pending.isOver)
      throw new InvalidResponseError(`${pending.method} was answered with something else.`);
  }

  #toLoss(
    refusal: HttpErrorResponse,
    session: ClientSession | undefined,
    pending?: OpenRequest,
  ): CallLostError | undefined {
    if (session?.id === undefined || !isSessionLost(refusal, pending?.id)) return undefined;
    this.#lose(session);
    return toSessionLoss(refusal);
  }

  #lose(session: ClientSession): void {
    session.isLost = true;
    session.end();
    if (this.#session === session) this.#parts.onLost(this);
  }
}

function notAMessage(response: Response, { method }: OpenRequest, text: string): InvalidResponseError {
  const what = text === "" ? "nothing" : mediaTypeOf(response) || "something";
  return new InvalidResponseError(`${method} was answered with ${response.status} and ${what}, no message.`);
}
