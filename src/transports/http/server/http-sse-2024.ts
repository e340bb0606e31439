import type { PassedMessage, PassedMessages } from "../../../cluster/passed-messages.ts";
import type { SessionShares } from "../../../cluster/session-shares.ts";
import { toHolder } from "../../../contract/caller/holder.ts";
import { toHttpView } from "../../../contract/caller/http-view.ts";
import { type Principal, toOwner } from "../../../contract/caller/principal.ts";
import { atTokenExpiry } from "../../../contract/caller/token-expiry.ts";
import type { Pipe, PipeSink } from "../../../contract/pipe.ts";
import { sessionSize } from "../../../guard/session-size.ts";
import type { MaybePromise } from "../../../lib/async/maybe-promise.ts";
import { settlesWithin } from "../../../lib/async/wait-at-most.ts";
import { FairBudget } from "../../../lib/bounded/fair-budget.ts";
import { ServerConnection } from "../../../peer/server-connection.ts";
import type { AdmittedRequest } from "./admission/admission.ts";
import type { EndpointContext } from "./endpoint-context.ts";
import { sendError, sendRpcError } from "./error-response.ts";
import { EventConnection } from "./events/event-connection.ts";
import { encodeNamedEvent } from "./events/sse-encode.ts";
import type { SsePaths } from "./http-options.ts";
import type { BodyText } from "./request/body-limits.ts";
import {
  mayContainRequest,
  readPostedMessage,
  refusesContentType,
  refuseWithoutId,
  requestIdOf,
} from "./request/posted-message.ts";
import type { AwaitedBody } from "./routing/routes.ts";
import { createSessionId } from "./session/session-id.ts";
import type { SharedNode } from "./shared-node.ts";

interface OpenStream {
  readonly pipe: SsePipe;
  readonly connection: ServerConnection;
  readonly owner: string;
  /** Keeps the stream from ending with a token that was renewed. */
  stopExpiry: () => void;
}

/** The stream that a message is for, and whether this node holds it. */
interface Target {
  readonly id: string;
  readonly isHere: boolean;
}

type SseMessages = Pick<SsePaths, "messagesPath" | "messagesUrl">;

/**
 * HTTP+SSE of revision 2024-11-05: one stream of events, and one endpoint to post messages to.
 *
 * basic/transports#http-with-sse (2024-11-05)
 */
export class HttpSse2024Endpoint {
  readonly #context: EndpointContext;
  readonly #messages: SseMessages;
  readonly #open = new Map<string, OpenStream>();
  /** The room for streams, by their ids. */
  readonly #budget: FairBudget<string>;
  /** The messages that come to other nodes than the one that holds their stream. */
  readonly #passed: PassedMessages | undefined;
  /** The shares of callers in the store through which messages are passed on. */
  readonly #shares: SessionShares | undefined;

  constructor(context: EndpointContext, messages: SseMessages, shared?: SharedNode) {
    const { max, maxBytes } = context.sessions;
    const evict = (id: string) => void this.#open.get(id)?.connection.close(0);
    this.#budget = new FairBudget({ count: max, bytes: maxBytes, evict });
    this.#context = context;
    this.#messages = messages;
    this.#passed = shared?.passMessages();
    this.#shares = shared?.node.openShares(context.sessions);
    this.#passed?.onMessage((id, message) => this.#receive(id, message));
  }

  /** Opens the stream; its first event holds the URL to post to. */
  openStream(admitted: AdmittedRequest): MaybePromise<void> {
    if (this.#passed === undefined) return this.#openAs(createSessionId(), admitted);
    return this.#passed.register(toOwner(admitted.principal)).then((id) => this.#openAs(id, admitted));
  }

  #openAs(id: string, admitted: AdmittedRequest): void {
    const { http, reply, principal, address } = admitted;
    if (!this.#budget.add(id, toHolder(admitted), 0)) {
      this.#passed?.unregister(id);
      return sendError(reply, 503, "Too many streams are open; try again later.", {
        headers: { "retry-after": "5" },
      });
    }
    const events = EventConnection.open(reply, this.#context.heartbeat);
    const pipe = new SsePipe(events);
    const { messagesUrl, messagesPath } = this.#messages;
    const url = messagesUrl ?? http.prefix + messagesPath;
    void events.write(encodeNamedEvent("endpoint", `${url}?sessionId=${id}`));
    const connection = new ServerConnection(this.#context.service, pipe, {
      principal,
      address,
      http: toHttpView(http),
      ping: this.#context.ping,
      // The exchanges over HTTP are shown.
      debug: false,
      onSessionChanged: (session) => {
        if (!this.#budget.resize(id, sessionSize(session))) void connection.close(0);
      },
    });
    const stopExpiry = endWithToken(connection, principal);
    const open: OpenStream = { pipe, connection, owner: toOwner(principal), stopExpiry };
    this.#open.set(id, open);
    reply.onGone(() => pipe.drop());
    void connection.closed.then(() => {
      this.#open.delete(id);
      this.#budget.remove(id);
      this.#passed?.unregister(id);
      open.stopExpiry();
    });
  }

  /** Takes one message; its answer goes over the stream. */
  async post(admitted: AdmittedRequest): Promise<AwaitedBody | undefined> {
    const { http, reply, principal } = admitted;
    if (refusesContentType(http, reply)) return undefined;
    const id = new URLSearchParams(http.query).get("sessionId") ?? "";
    const open = this.#open.get(id);
    const owner = toOwner(principal);
    if (open === undefined ? !(await this.#passed?.isOf(id, owner)) : open.owner !== owner) {
      const problem = "No such stream; open one first, and post to the URL that its first event gives.";
      sendError(reply, 404, problem);
      return undefined;
    }
    const isHere = open !== undefined;
    return { admitted, receive: (body) => this.#takePosted({ id, isHere }, admitted, body) };
  }

  async #takePosted({ id, isHere }: Target, admitted: AdmittedRequest, body: BodyText): Promise<void> {
    const { reply, principal } = admitted;
    const posted = readPostedMessage(body, admitted, this.#context);
    if (posted === undefined || !body.ok) return this.#context.callLimits?.countOther(admitted);
    if (mayContainRequest(posted) && this.#open.get(id)?.pipe.isFull)
      return sendError(reply, 503, "Answers wait to be read from the stream; read them first.", {
        id: requestIdOf(posted),
        headers: { "retry-after": "1" },
      });
    const message = { owner: toOwner(principal), principal, text: body.text };
    if (!isHere) {
      const full = this.#shares?.refusalOf(toHolder(admitted));
      if (full) return sendRpcError(reply, full.wireCode, full, requestIdOf(posted));
      this.#shares?.addEvents(toHolder(admitted), body.text.length);
      // The node that holds the stream counts only calls.
      this.#context.callLimits?.countOther(admitted);
      try {
        await this.#passed?.pass(id, message);
      } catch (error) {
        return this.#context.requests.fail(reply, error, requestIdOf(posted));
      }
    } else {
      // What other nodes have accepted comes first. While the store is away, it comes when it is back.
      await this.#passed?.takeNext(id).catch(() => {});
    }
    if (posted.kind === "invalid") refuseWithoutId(reply, posted);
    else reply.send(202, { "content-type": "text/plain" }, "Accepted");
    if (isHere) this.#receive(id, message);
  }

  #receive(id: string, { owner, principal, text }: PassedMessage): void {
    const open = this.#open.get(id);
    if (open?.owner !== owner) return;
    if (principal) renewToken(open, principal);
    open.pipe.receive(text);
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

/** Characters that wait for the reader beyond which no further calls are taken. */
const highWaiting = 4 * 1024 * 1024;
/** Characters that wait for the reader at which the stream ends, because its writers did not wait. */
const maxWaiting = 16 * 1024 * 1024;
/** Time that `close` gives to what waits. */
const closeMs = 1_000;

/** The two-way pipe that the stream and the posts make together. */
class SsePipe implements Pipe {
  readonly kind = "sse";
  readonly #events: EventConnection;
  #sink: PipeSink | undefined;
  #unread: string[] = [];
  /** The last write, as long as it waits for the reader. */
  #writing: Promise<void> | undefined;
  #waiting = 0;

  constructor(events: EventConnection) {
    this.#events = events;
  }

  /** True if so much waits for the reader that further answers could only wait, too. */
  get isFull(): boolean {
    return this.#waiting > highWaiting;
  }

  start(sink: PipeSink): void {
    this.#sink = sink;
    for (const text of this.#unread.splice(0)) sink.onText(text);
  }

  receive(text: string): void {
    if (this.#sink) this.#sink.onText(text);
    else this.#unread.push(text);
  }

  /** Writes after what waits for the reader: the answers of several calls may come at once, and nobody holds them back. */
  write(text: string): void | Promise<void> {
    const event = encodeNamedEvent("message", text);
    if (this.#writing === undefined) return this.#follow(this.#events.write(event));
    if (this.#waiting + event.length > maxWaiting) return void this.#end();
    this.#waiting += event.length;
    return this.#follow(
      this.#writing.then(() => {
        this.#waiting -= event.length;
        return this.#events.write(event);
      }),
    );
  }

  /** Takes note that the client is gone. */
  drop(): void {
    this.#events.drop();
    this.#sink?.onClose();
  }

  async close(): Promise<void> {
    if (this.#writing !== undefined) await settlesWithin(closeMs, this.#writing);
    this.#end();
  }

  #follow(writing: void | Promise<void>): void | Promise<void> {
    if (writing === undefined) return undefined;
    this.#writing = writing;
    void writing.then(() => {
      if (this.#writing === writing) this.#writing = undefined;
    });
    return writing;
  }

  #end(): void {
    this.#events.end();
    this.#sink?.onClose();
  }
}
