import { CancelledError, ConnectionClosedError } from "../../../../errors.ts";
import type { MaybePromise } from "../../../../lib/maybe-promise.ts";
import type { UnansweredRequest } from "../../../../peer/incoming-requests.ts";
import {
  encodeFailure,
  encodeResponse,
  type InvalidMessage,
  type Message,
  type ParsedMessage,
  type RequestId,
  type RpcRequest,
} from "../../../../protocol/message.ts";
import { methods } from "../../../../protocol/methods.ts";
import type { Revision } from "../../../../protocol/revision.ts";
import { invalidRequest } from "../../../../protocol/wire-error.ts";
import { readAccept } from "../accept.ts";
import type { AdmittedRequest, EndpointContext } from "../endpoint-context.ts";
import { jsonHeaders, sendError, sendRpcError, toPublicRpcError } from "../error-response.ts";
import { EventConnection } from "../events/event-connection.ts";
import { parseEventId } from "../events/event-id.ts";
import type { ResumableStream } from "../events/resumable-stream.ts";
import { encodeEvent, eventStreamHeaders } from "../events/sse-encode.ts";
import type { HttpRequest } from "../http-interface.ts";
import { HttpSession } from "./http-session.ts";
import { SessionCall, type SessionCallParts } from "./session-call.ts";
import { createSessionId } from "./session-id.ts";
import { SessionReply } from "./session-reply.ts";
import type { SessionTable } from "./session-table.ts";

const sessionHeader = "mcp-session-id";

/** The revisions that open by a handshake, on the one endpoint: POST, GET and DELETE. */
export class SessionEndpoint {
  readonly #endpoint: EndpointContext;
  readonly #table: SessionTable;

  constructor(endpoint: EndpointContext, table: SessionTable) {
    this.#endpoint = endpoint;
    this.#table = table;
  }

  post(visitor: AdmittedRequest, incoming: Exclude<ParsedMessage, InvalidMessage>): Promise<void> | void {
    if (incoming.kind === "request" && methods.get(incoming.method)?.opens)
      return this.#open(visitor, incoming);
    const entering = this.#enter(visitor);
    if (!(entering instanceof Promise)) return this.#receive(visitor, entering, incoming);
    return entering.then((live) => this.#receive(visitor, live, incoming));
  }

  #receive(
    visitor: AdmittedRequest,
    live: HttpSession | undefined,
    incoming: Exclude<ParsedMessage, InvalidMessage>,
  ): Promise<void> | void {
    if (live === undefined) return;
    if (incoming.kind === "request") return this.#answer(incoming, this.#toParts(visitor, live));
    if (incoming.kind === "batch") return this.#answerBatch(visitor, live, incoming.messages);
    return live.receive(incoming).then(() => visitor.reply.send(202, {}));
  }

  /** The stream beside the requests, or the rest of one that broke. */
  async get(visitor: AdmittedRequest): Promise<void> {
    const { http, reply } = visitor;
    if (!readAccept(http.header("accept")).events)
      return sendError(reply, 406, "GET opens a stream of events; accept text/event-stream.");
    const live = await this.#enter(visitor);
    if (live === undefined) return;
    const place = findPlace(live, http.header("last-event-id"));
    if (place === undefined || !(await place.stream.has(place.sequence)))
      return sendError(reply, 400, "Last-Event-ID names no event that this session could resume from.");
    // Tells a client to come back no more.
    if (place.stream.isOver(place.sequence)) return reply.send(204, {});
    const connection = new EventConnection(reply.stream(eventStreamHeaders), this.#endpoint.heartbeat);
    reply.onGone(() => place.stream.drop(connection));
    const { pollsStreams } = live.session.revision;
    await place.stream.attach(
      connection,
      place.sequence,
      pollsStreams ? this.#endpoint.sessions.retryMs : undefined,
    );
  }

  async delete(visitor: AdmittedRequest): Promise<void> {
    const live = await this.#enter(visitor);
    if (live === undefined) return;
    await this.#table.remove(live);
    visitor.reply.send(204, {});
  }

  async #open({ reply, principal, http }: AdmittedRequest, request: RpcRequest): Promise<void> {
    const { service, sessions } = this.#endpoint;
    try {
      const session = sessions.stateless
        ? service.openSession(request.params)
        : (await this.#table.open(request.params, principal))?.session;
      if (session === undefined) {
        return sendError(reply, 503, "Too many sessions are in use; try again later.", {
          "retry-after": "5",
        });
      }
      const text = encodeResponse(request.id, service.initializeResult(session));
      const headers = sessions.stateless ? {} : { [sessionHeader]: session.id };
      if (readAccept(http.header("accept")).json)
        return reply.send(200, { ...jsonHeaders, ...headers }, text);
      const stream = new EventConnection(
        reply.stream({ ...eventStreamHeaders, ...headers }),
        this.#endpoint.heartbeat,
      );
      void stream.write(encodeEvent(text));
      stream.end();
    } catch (error) {
      sendRpcError(reply, 400, toPublicRpcError(error), request.id);
    }
  }

  /** The session that a request names; answers itself when there is none. */
  #enter({ http, reply, principal }: AdmittedRequest): MaybePromise<HttpSession | undefined> {
    const revision = this.#headerRevision(http);
    if (revision === undefined) {
      const speaks = this.#endpoint.service.supported.names.join(", ");
      sendError(reply, 400, `Unsupported MCP-Protocol-Version; this server speaks ${speaks}.`);
      return undefined;
    }
    if (this.#endpoint.sessions.stateless) return passing(revision);
    const id = http.header(sessionHeader);
    if (id === undefined) {
      sendError(reply, 400, "Mcp-Session-Id is missing; initialize first, then send the id you are given.");
      return undefined;
    }
    const orRefuse = (live: HttpSession | undefined) => {
      if (live === undefined) sendError(reply, 404, "Session not found; initialize again.");
      return live;
    };
    const finding = this.#table.find(id, principal);
    return finding instanceof Promise ? finding.then(orRefuse) : orRefuse(finding);
  }

  /** Requests without the header are of the revision before it was introduced. */
  #headerRevision(http: HttpRequest): Revision | undefined {
    const { supported } = this.#endpoint.service;
    const version = http.header("mcp-protocol-version");
    if (version !== undefined) return supported.find(version.trim());
    return supported.assumedOverHttp;
  }

  async #answerBatch(
    visitor: AdmittedRequest,
    live: HttpSession,
    messages: readonly (Message | InvalidMessage)[],
  ): Promise<void> {
    if (!live.session.revision.receivesBatches) {
      return sendError(visitor.reply, 400, "Batches are not part of the revision in use.");
    }
    const requests = messages.filter((message) => message.kind === "request");
    for (const message of messages) {
      if (message.kind !== "request" && message.kind !== "invalid") await live.receive(message);
    }
    const invalid = messages.filter((message) => message.kind === "invalid");
    if (requests.length + invalid.length === 0) return visitor.reply.send(202, {});
    const parts = this.#toParts(visitor, live, requests.length + invalid.length);
    for (const { id, error } of invalid) await parts.reply.finish(encodeFailure(id ?? null, error));
    await Promise.all(requests.map((request) => this.#answer(request, parts)));
  }

  #toParts(visitor: AdmittedRequest, live: HttpSession, batch?: number): SessionCallParts {
    const reply = new SessionReply(this.#endpoint, live, visitor, batch);
    const { principal, address } = visitor;
    return { endpoint: this.#endpoint, live, reply, principal, address };
  }

  async #answer(request: RpcRequest, parts: SessionCallParts): Promise<void> {
    const { live, reply } = parts;
    const row = methods.get(request.method);
    if (row?.opens) return reply.finish(failed(request.id, `${row.name} may not be part of a batch.`));
    const answering = live.begin(request);
    if (answering === undefined)
      return reply.finish(failed(request.id, "A request with this id is still being answered."));
    reply.onAbandoned(() => live.cancel(request.id, new ConnectionClosedError("The client is gone.")));
    let text: string;
    try {
      const result = await this.#endpoint.service.handle(new SessionCall(answering, parts));
      if (row?.changesSession) await live.save();
      text = encodeResponse(request.id, result);
    } catch (error) {
      const failure = toPublicRpcError(error);
      reply.refuseWith(this.#endpoint.authorization?.stepUp(parts.principal, failure));
      text = encodeFailure(request.id, failure.toErrorObject());
    } finally {
      live.end(answering);
    }
    await reply.finish(isUnwanted(answering) ? undefined : text);
  }
}

/** Whether the client itself has given up; a server that ends a call still says so. */
function isUnwanted(answering: UnansweredRequest): boolean {
  return answering.cancelled && answering.signal.reason instanceof CancelledError;
}

interface Place {
  readonly stream: ResumableStream;
  readonly sequence: number;
}

/** Where a GET goes on: after the event it names, or with what was not sent on the stream beside the requests. */
function findPlace(live: HttpSession, lastEventId: string | undefined): Place | undefined {
  const { standalone } = live;
  if (lastEventId === undefined) return standalone && { stream: standalone, sequence: standalone.delivered };
  const place = parseEventId(lastEventId, live.session.id);
  const stream = place && live.findStream(place.stream);
  return stream && { stream, sequence: place.sequence };
}

/** A session that lasts for one request, where none are kept. */
function passing(revision: Revision): HttpSession {
  return new HttpSession({
    id: createSessionId(),
    revision,
    client: { info: undefined, capabilities: {} },
    logLevel: undefined,
    lists: new Set<string>(),
    subscriptions: new Set<string>(),
    pendingElicitations: new Set<string>(),
  });
}

function failed(id: RequestId, problem: string): string {
  return encodeFailure(id, invalidRequest(problem).toErrorObject());
}
