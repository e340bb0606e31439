import type { HeaderRecord } from "../../../../contract/channel.ts";
import { type CallLostError, InvalidResponseError, NotInRevisionError } from "../../../../errors.ts";
import type { RpcNotification, RpcRequest } from "../../../../protocol/message.ts";
import { readProtocolVersion } from "../../../../protocol/meta.ts";
import { methods } from "../../../../protocol/method-table.ts";
import { type HttpErrorResponse, readErrorResponse, toPostError } from "../fetch/error-response.ts";
import { isEventStream } from "../fetch/open-event-stream.ts";
import { readMessage } from "../fetch/read-body.ts";
import { isOk, type ReceivedResponse } from "../http-exchange.ts";
import { isSessionLost, namesLostSession, toSessionLoss } from "../recovery/session-loss.ts";
import { readAnswerStream } from "./answer-stream.ts";
import { ClientSession, sessionHeaders } from "./client-session.ts";
import type { OpenRequest } from "./open-request.ts";
import { postOneWay } from "./post-one-way.ts";
import { type HttpShape, postHeaders, type ShapeParts } from "./shape-interface.ts";
import { StandaloneStream } from "./standalone-stream.ts";

/**
 * Streamable HTTP: each message is a POST to one endpoint, answered by JSON or by a stream of events.
 *
 * basic/transports#sending-messages-to-the-server (2025-11-25)
 */
export class StreamableHttpShape implements HttpShape {
  readonly #parts: ShapeParts;
  #session: ClientSession | undefined;

  constructor(parts: ShapeParts) {
    this.#parts = parts;
  }

  async request(
    text: string,
    message: RpcRequest,
    request: OpenRequest,
  ): Promise<HttpErrorResponse | undefined> {
    const { url, http } = this.#parts;
    const opens = methods.get(message.method)?.opens === true;
    const session = opens ? undefined : this.#session;
    const version = this.#statelessVersion(message);
    const headers = this.#headersOf(message, version, session);
    const response = await http.fetch("POST", url, {
      headers: [request.headers, postHeaders, headers],
      body: text,
      signal: request.dropping,
      revision: version ?? this.#parts.revision()?.version ?? offeredVersion(message),
    });
    if (!isOk(response)) {
      const errorResponse = await readErrorResponse(response, "POST", url);
      const loss = this.#toLoss(errorResponse, session, request);
      if (loss) throw loss;
      return errorResponse;
    }
    if (opens) this.#begin(response);
    await this.#readAnswer(response, request, {
      resumeWith: version === undefined ? headers : undefined,
      onRefused: (errorResponse) => {
        // A 404 may also be about the stream, so only words count here.
        if (session?.id !== undefined && namesLostSession(errorResponse)) this.#lose(session);
      },
    });
    return undefined;
  }

  async post(text: string, message?: RpcNotification): Promise<void> {
    const revision = this.#parts.revision();
    if (revision?.opening === "each-request") {
      // The server asks nothing here, so there is nothing to answer.
      if (message) await this.#postOwn(text, message, revision.version);
      return;
    }
    const session = this.#session;
    const headers = sessionHeaders(session, revision);
    const errorResponse = await postOneWay(this.#parts, this.#parts.url, text, headers);
    if (errorResponse) throw this.#toLoss(errorResponse, session) ?? toPostError(errorResponse);
    if (message?.method === "notifications/initialized" && session) this.#listen(session);
  }

  /**
   * Posts a notification of an extension; the specification has none of clients here.
   *
   * basic/transports/streamable-http#sending-messages (2026-07-28)
   */
  async #postOwn(text: string, { method }: RpcNotification, version: string): Promise<void> {
    if (methods.has(method)) throw new NotInRevisionError(`${method} over HTTP`, version);
    const headers = { "mcp-protocol-version": version, "mcp-method": method };
    const errorResponse = await postOneWay(this.#parts, this.#parts.url, text, headers);
    if (errorResponse) throw toPostError(errorResponse);
  }

  /**
   * Ends the session, and asks the server by DELETE to end it too.
   *
   * basic/transports#session-management (2025-11-25)
   */
  async close(): Promise<void> {
    const { http, url, closeMs, revision } = this.#parts;
    const session = this.#session;
    session?.end();
    if (session?.id === undefined || session.isLost) return;
    const headers = sessionHeaders(session, revision());
    try {
      const response = await http.fetch("DELETE", url, {
        headers: [headers],
        signal: AbortSignal.timeout(closeMs),
      });
      response.discardBody();
    } catch {
      // The session then expires on the server.
    }
  }

  /** The revision of a request that opens no session and is part of none: it names it itself, until one is agreed on. */
  #statelessVersion({ params }: RpcRequest): string | undefined {
    const revision = this.#parts.revision();
    return revision?.opening === "each-request" ? revision.version : readProtocolVersion(params);
  }

  #headersOf(
    message: RpcRequest,
    version: string | undefined,
    session: ClientSession | undefined,
  ): HeaderRecord {
    if (version !== undefined) return { "mcp-protocol-version": version, "mcp-method": message.method };
    return methods.get(message.method)?.opens ? {} : sessionHeaders(session, this.#parts.revision());
  }

  #begin(response: ReceivedResponse): void {
    const session = new ClientSession(response);
    this.#session?.end();
    this.#session = session;
  }

  #listen(session: ClientSession): void {
    const { closing, revision } = this.#parts;
    const stream = new StandaloneStream({
      parts: this.#parts,
      signal: AbortSignal.any([session.ending, closing]),
      headers: () => sessionHeaders(session, revision()),
      hasSessionId: session.id !== undefined,
      onLost: () => this.#lose(session),
    });
    void stream.hold();
  }

  async #readAnswer(
    response: ReceivedResponse,
    request: OpenRequest,
    stream: {
      readonly resumeWith: HeaderRecord | undefined;
      onRefused(errorResponse: HttpErrorResponse): void;
    },
  ): Promise<void> {
    const { sink, maxBytes } = this.#parts;
    if (isEventStream(response)) await readAnswerStream(response, { parts: this.#parts, request, ...stream });
    else {
      const text = await readMessage(response, {
        maxBytes,
        id: request.id,
        onActivity: () => sink.onActivity?.(request.id),
      });
      if (!mayBeMessage(text)) throw await notAMessage(response, request, text);
      sink.onText(text, request.id);
    }
    if (!request.isOver)
      throw new InvalidResponseError(`${request.method} was answered, but not with a response to it.`);
  }

  #toLoss(
    errorResponse: HttpErrorResponse,
    session: ClientSession | undefined,
    request?: OpenRequest,
  ): CallLostError | undefined {
    if (session?.id === undefined || !isSessionLost(errorResponse, request?.id)) return undefined;
    this.#lose(session);
    return toSessionLoss(errorResponse);
  }

  #lose(session: ClientSession): void {
    session.isLost = true;
    session.end();
    if (this.#session === session) this.#parts.onLost(this);
  }
}

/** The revision that `initialize` offers. */
function offeredVersion({ params }: RpcRequest): string | undefined {
  return typeof params.protocolVersion === "string" ? params.protocolVersion : undefined;
}

/** False for what certainly is not a message, such as a page; the parser reads the rest. */
function mayBeMessage(text: string): boolean {
  return /^\s*[{[]/.test(text) && text.includes('"jsonrpc"');
}

async function notAMessage(
  response: ReceivedResponse,
  { method }: OpenRequest,
  text: string,
): Promise<InvalidResponseError> {
  // Loaded on demand: it explains a mistake.
  const { describeAnswer, NotAMessageError } = await import("../fetch/describe-answer.ts");
  const what = describeAnswer(response, text);
  return new NotAMessageError(`${method} was answered with ${response.status} and ${what}.`);
}
