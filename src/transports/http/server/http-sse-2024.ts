import type { Pipe, PipeSink } from "../../../contract/pipe.ts";
import { toOwner } from "../../../contract/principal.ts";
import { ServerConnection } from "../../../peer/server-connection.ts";
import { encodeFailure } from "../../../protocol/message.ts";
import { parseMessage } from "../../../protocol/parse.ts";
import { isJsonContentType } from "./accept.ts";
import type { AdmittedRequest, EndpointContext } from "./endpoint-context.ts";
import { jsonHeaders, mayContainRequest, sendClosingError, sendError } from "./error-response.ts";
import { EventConnection } from "./events/event-connection.ts";
import { encodeNamedEvent, eventStreamHeaders } from "./events/sse-encode.ts";
import { createSessionId } from "./session/session-id.ts";

interface Open {
  readonly pipe: SsePipe;
  readonly conversation: ServerConnection;
  readonly owner: string;
}

/** HTTP+SSE of the oldest revision: one stream of events, and one endpoint to post messages to. */
export class HttpSse2024Endpoint {
  readonly #endpoint: EndpointContext;
  readonly #messagesUrl: string;
  readonly #open = new Map<string, Open>();

  constructor(endpoint: EndpointContext, messagesUrl: string) {
    this.#endpoint = endpoint;
    this.#messagesUrl = messagesUrl;
  }

  /** Opens the stream; its first event says where to post. */
  openStream({ reply, principal, address }: AdmittedRequest): void {
    const { max } = this.#endpoint.sessions;
    if (this.#open.size >= max)
      return sendError(reply, 503, "Too many streams are open; try again later.", { "retry-after": "5" });
    const id = createSessionId();
    const connection = new EventConnection(reply.stream(eventStreamHeaders), this.#endpoint.heartbeat);
    const pipe = new SsePipe(connection);
    void connection.write(encodeNamedEvent("endpoint", `${this.#messagesUrl}?sessionId=${id}`));
    const conversation = new ServerConnection(this.#endpoint.service, pipe, { principal, address });
    this.#open.set(id, { pipe, conversation, owner: toOwner(principal) });
    reply.onGone(() => pipe.drop());
    void conversation.closed.then(() => this.#open.delete(id));
  }

  /** Takes one message; its answer comes over the stream. */
  async post({ http, reply, principal }: AdmittedRequest): Promise<void> {
    if (!isJsonContentType(http.header("content-type")))
      return sendError(reply, 415, "Content-Type must be application/json.");
    const open = this.#open.get(new URLSearchParams(http.query).get("sessionId") ?? "");
    if (open === undefined || open.owner !== toOwner(principal))
      return sendError(reply, 404, "No such stream.");
    const body = await http.readText(this.#endpoint.limits);
    if (!body.ok) return sendError(reply, body.status, body.problem);
    const incoming = parseMessage(body.text);
    if (incoming.kind === "invalid")
      return reply.send(400, jsonHeaders, encodeFailure(incoming.id ?? null, incoming.error));
    if (this.#endpoint.closing.aborted && mayContainRequest(incoming)) return sendClosingError(reply);
    reply.send(202, { "content-type": "text/plain" }, "Accepted");
    if (principal) open.conversation.updatePrincipal(principal);
    open.pipe.receive(body.text);
  }

  /** Lets calls under way finish for a while, and ends all streams. */
  async close(drainMs: number): Promise<void> {
    await Promise.all([...this.#open.values()].map(({ conversation }) => conversation.close(drainMs)));
  }
}

/** The stream and the posts, joined to a two-way pipe. */
class SsePipe implements Pipe {
  readonly kind = "sse";
  readonly #connection: EventConnection;
  #sink: PipeSink | undefined;
  #unread: string[] = [];

  constructor(connection: EventConnection) {
    this.#connection = connection;
  }

  start(sink: PipeSink): void {
    this.#sink = sink;
    for (const text of this.#unread.splice(0)) sink.onText(text);
  }

  receive(text: string): void {
    if (this.#sink) this.#sink.onText(text);
    else this.#unread.push(text);
  }

  write(text: string): void | Promise<void> {
    return this.#connection.write(encodeNamedEvent("message", text));
  }

  /** The client is gone. */
  drop(): void {
    this.#connection.drop();
    this.#sink?.onClose();
  }

  async close(): Promise<void> {
    this.#connection.end();
    this.#sink?.onClose();
  }
}
