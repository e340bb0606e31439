import type { Pipe, PipeSink } from "../../../contract/pipe.ts";
import { type Principal, toOwner } from "../../../contract/principal.ts";
import { atTokenExpiry } from "../../../contract/token-expiry.ts";
import { ServerConnection } from "../../../peer/server-connection.ts";
import type { AdmittedRequest } from "./admission.ts";
import type { EndpointContext } from "./endpoint-context.ts";
import { sendError } from "./error-response.ts";
import { EventConnection } from "./events/event-connection.ts";
import { encodeNamedEvent } from "./events/sse-encode.ts";
import { readPostedMessage, refusesContentType } from "./request/posted-message.ts";
import { createSessionId } from "./session/session-id.ts";

interface OpenStream {
  readonly pipe: SsePipe;
  readonly connection: ServerConnection;
  readonly owner: string;
  /** Keeps the stream from ending with a token that was renewed. */
  stopExpiry: () => void;
}

/**
 * HTTP+SSE of revision 2024-11-05: one stream of events, and one endpoint to post messages to.
 *
 * basic/transports#http-with-sse (2024-11-05)
 */
export class HttpSse2024Endpoint {
  readonly #context: EndpointContext;
  readonly #messagesUrl: string;
  readonly #open = new Map<string, OpenStream>();

  constructor(context: EndpointContext, messagesUrl: string) {
    this.#context = context;
    this.#messagesUrl = messagesUrl;
  }

  /** Opens the stream; its first event holds the URL to post to. */
  openStream({ reply, principal, address }: AdmittedRequest): void {
    const { max } = this.#context.sessions;
    if (this.#open.size >= max)
      return sendError(reply, 503, "Too many streams are open; try again later.", { "retry-after": "5" });
    const id = createSessionId();
    const events = EventConnection.open(reply, this.#context.heartbeat);
    const pipe = new SsePipe(events);
    void events.write(encodeNamedEvent("endpoint", `${this.#messagesUrl}?sessionId=${id}`));
    const connection = new ServerConnection(this.#context.service, pipe, { principal, address });
    const stopExpiry = endWithToken(connection, principal);
    const open: OpenStream = { pipe, connection, owner: toOwner(principal), stopExpiry };
    this.#open.set(id, open);
    reply.onGone(() => pipe.drop());
    void connection.closed.then(() => {
      this.#open.delete(id);
      open.stopExpiry();
    });
  }

  /** Takes one message; its answer goes over the stream. */
  async post({ http, reply, principal }: AdmittedRequest): Promise<void> {
    if (refusesContentType(http, reply)) return;
    const open = this.#open.get(new URLSearchParams(http.query).get("sessionId") ?? "");
    if (open === undefined || open.owner !== toOwner(principal))
      return sendError(
        reply,
        404,
        "No such stream; open one first, and post to the URL that its first event gives.",
      );
    const body = await http.readText(this.#context.bodyLimits);
    if (readPostedMessage(body, reply, this.#context.closing) === undefined || !body.ok) return;
    reply.send(202, { "content-type": "text/plain" }, "Accepted");
    if (principal) renewToken(open, principal);
    open.pipe.receive(body.text);
  }

  /** Lets running calls finish within `drainMs`, and ends all streams. */
  async close(drainMs: number): Promise<void> {
    await Promise.all([...this.#open.values()].map(({ connection }) => connection.close(drainMs)));
  }
}

function endWithToken(connection: ServerConnection, principal: Principal | undefined): () => void {
  return atTokenExpiry(principal, () => void connection.close());
}

/** Goes on with the token of a later message: the stream ends with the last one. */
function renewToken(open: OpenStream, principal: Principal): void {
  open.connection.updatePrincipal(principal);
  open.stopExpiry();
  open.stopExpiry = endWithToken(open.connection, principal);
}

/** The two-way pipe that the stream and the posts make together. */
class SsePipe implements Pipe {
  readonly kind = "sse";
  readonly #events: EventConnection;
  #sink: PipeSink | undefined;
  #unread: string[] = [];

  constructor(events: EventConnection) {
    this.#events = events;
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
    return this.#events.write(encodeNamedEvent("message", text));
  }

  /** Takes note that the client is gone. */
  drop(): void {
    this.#events.drop();
    this.#sink?.onClose();
  }

  async close(): Promise<void> {
    this.#events.end();
    this.#sink?.onClose();
  }
}
