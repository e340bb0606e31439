import { Conversation } from "../../peer/conversation.ts";
import { toOwner } from "../../peer/owner.ts";
import type { Pipe, PipeSink } from "../../peer/pipe.ts";
import { encodeFailure } from "../../protocol/message.ts";
import { parseMessage } from "../../protocol/parse.ts";
import { isJson } from "./accept.ts";
import type { Endpoint, Visitor } from "./endpoint.ts";
import { EventConnection } from "./event-connection.ts";
import { bringsWork, jsonHeaders, refuse, refuseClosing } from "./refuse.ts";
import { createSessionId } from "./session-id.ts";
import { eventStreamHeaders, toNamedEvent } from "./sse-write.ts";

interface Open {
  readonly pipe: SsePipe;
  readonly conversation: Conversation;
  readonly owner: string;
}

/** HTTP+SSE of the oldest revision: one stream of events, and one endpoint to post messages to. */
export class TwoEndpoints {
  readonly #endpoint: Endpoint;
  readonly #messagesUrl: string;
  readonly #open = new Map<string, Open>();

  constructor(endpoint: Endpoint, messagesUrl: string) {
    this.#endpoint = endpoint;
    this.#messagesUrl = messagesUrl;
  }

  /** Opens the stream; its first event says where to post. */
  listen({ reply, principal, address }: Visitor): void {
    const { max } = this.#endpoint.sessions;
    if (this.#open.size >= max)
      return refuse(reply, 503, "Too many streams are open; try again later.", { "retry-after": "5" });
    const id = createSessionId();
    const connection = new EventConnection(reply.stream(eventStreamHeaders), this.#endpoint.heartbeat);
    const pipe = new SsePipe(connection);
    void connection.write(toNamedEvent("endpoint", `${this.#messagesUrl}?sessionId=${id}`));
    const conversation = new Conversation(this.#endpoint.service, pipe, { principal, address });
    this.#open.set(id, { pipe, conversation, owner: toOwner(principal) });
    reply.onGone(() => pipe.drop());
    void conversation.closed.then(() => this.#open.delete(id));
  }

  /** Takes one message; its answer comes over the stream. */
  async post({ http, reply, principal }: Visitor): Promise<void> {
    if (!isJson(http.header("content-type")))
      return refuse(reply, 415, "Content-Type must be application/json.");
    const open = this.#open.get(new URLSearchParams(http.query).get("sessionId") ?? "");
    if (open === undefined || open.owner !== toOwner(principal)) return refuse(reply, 404, "No such stream.");
    const body = await http.readText(this.#endpoint.limits);
    if (!body.ok) return refuse(reply, body.status, body.problem);
    const incoming = parseMessage(body.text);
    if (incoming.kind === "invalid")
      return reply.send(400, jsonHeaders, encodeFailure(incoming.id ?? null, incoming.error));
    if (this.#endpoint.closing.aborted && bringsWork(incoming)) return refuseClosing(reply);
    reply.send(202, { "content-type": "text/plain" }, "Accepted");
    if (principal) open.conversation.renew(principal);
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
    return this.#connection.write(toNamedEvent("message", text));
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
