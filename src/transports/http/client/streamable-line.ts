import { type CallLostError, InvalidAnswerError, NotInRevisionError } from "../../../protocol/errors.ts";
import type { RpcNotification, RpcRequest } from "../../../protocol/message.ts";
import { namedRevision } from "../../../protocol/meta.ts";
import { followAnswer } from "./answer-stream.ts";
import { ClientSession, sessionHeaders } from "./client-session.ts";
import type { HeaderRecord } from "./http-client-options.ts";
import { type Line, type LineParts, postHeaders } from "./line.ts";
import { mirror } from "./mirror.ts";
import { isEventStream } from "./open-events.ts";
import type { Pending } from "./pending.ts";
import { readMessage, typeOf } from "./read-body.ts";
import { isSessionLost, type Refusal, readRefusal, saysSessionIsLost, toSessionLoss } from "./refusal.ts";
import { discard } from "./sender.ts";
import { StandaloneStream } from "./standalone-stream.ts";
import { postWithoutAnswer, toError } from "./tell.ts";

/** One endpoint: each message is a POST of its own, answered by JSON or by a stream of events. */
export class StreamableLine implements Line {
  readonly #parts: LineParts;
  #session: ClientSession | undefined;

  constructor(parts: LineParts) {
    this.#parts = parts;
  }

  async request(text: string, message: RpcRequest, pending: Pending): Promise<Refusal | undefined> {
    const { url, sender } = this.#parts;
    const opens = message.method === "initialize";
    const session = opens ? undefined : this.#session;
    const version = namedRevision(message.params);
    const headers = this.#headersOf(message, version, session);
    const response = await sender.send("POST", url, {
      headers: { ...postHeaders, ...headers },
      body: text,
      signal: pending.signal,
    });
    if (!response.ok) {
      const refusal = await readRefusal(response, "POST", url);
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

  async tell(text: string, message?: RpcNotification): Promise<void> {
    const revision = this.#parts.revision();
    if (revision?.opening === "each-request") {
      // Nothing is asked of us here, so that there is nothing to answer; and nobody hears notifications.
      if (message) throw new NotInRevisionError(`${message.method} over HTTP`, revision.version);
      return;
    }
    const session = this.#session;
    const headers = sessionHeaders(session, revision);
    const refusal = await postWithoutAnswer(this.#parts, this.#parts.url, text, headers);
    if (refusal) throw this.#toLoss(refusal, session) ?? toError(refusal);
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
      discard(await sender.send("DELETE", url, { headers, signal: AbortSignal.timeout(closeMs) }));
    } catch {
      // Then the server forgets the session in its own time.
    }
  }

  #headersOf(
    message: RpcRequest,
    version: string | undefined,
    session: ClientSession | undefined,
  ): HeaderRecord {
    if (version !== undefined) return mirror(message, version, this.#parts.mirrored(message));
    return message.method === "initialize" ? {} : sessionHeaders(session, this.#parts.revision());
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
    pending: Pending,
    stream: {
      readonly resumeWith: HeaderRecord | undefined;
      onRefused(refusal: Refusal): void;
    },
  ): Promise<void> {
    const { sink, maxBytes } = this.#parts;
    if (isEventStream(response)) await followAnswer(response, { line: this.#parts, pending, ...stream });
    else {
      const text = await readMessage(response, maxBytes, pending.id);
      if (!/^\s*[{[]/.test(text)) throw notAMessage(response, pending, text);
      sink.onText(text, pending.id);
    }
    if (!pending.isOver) throw new InvalidAnswerError(`${pending.method} was answered with something else.`);
  }

  #toLoss(
    refusal: Refusal,
    session: ClientSession | undefined,
    pending?: Pending,
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

function notAMessage(response: Response, { method }: Pending, text: string): InvalidAnswerError {
  const what = text === "" ? "nothing" : typeOf(response) || "something";
  return new InvalidAnswerError(`${method} was answered with ${response.status} and ${what}, no message.`);
}
