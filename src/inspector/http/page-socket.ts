import { setMaxListeners } from "node:events";
import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import { runLater } from "../../lib/async/timers.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import type { ServerReply } from "../messages/reply.ts";
import type { EventType, PageEvent, RequestType } from "../messages.ts";
import { InspectorError, toFailure } from "../session/failure.ts";
import type { PageCall } from "../session/handler.ts";
import type { PageTokens } from "../session/page-tokens.ts";
import { assertParams, isRequestType } from "../session/params.ts";
import { requestTable } from "../session/request-table.ts";
import type { InspectorSession, PageSink } from "../session/session.ts";

/** Codes of the close of a socket; 4000 and above are for programs. RFC 6455, section 7.4.2 */
const closeCodes = { unknownSession: 4001, notUnderstood: 4002 };

const openMs = 10_000;
/** Bytes that a stranger may send; the message that opens the session is much shorter. */
const maxOpeningBytes = 16 * 1024;
const maxRunning = 200;
/** Events that a server can cause without end. A slow page misses them, and finds them in the wire. */
const droppable: ReadonlySet<EventType> = new Set(["wire", "log", "problem", "change"]);
const maxWaitingBytes = 4 * 1024 * 1024;
const maxUnreadBytes = 64 * 1024 * 1024;

export interface PageSocketParts {
  readonly session: InspectorSession;
  readonly access: PageTokens;
}

/** One page: opens the session, carries out requests, passes events on. */
export class PageSocket implements PageSink {
  readonly #socket: WebSocket;
  readonly #parts: PageSocketParts;
  readonly #running = new Map<number, AbortController>();
  readonly #openTimer: ReturnType<typeof setTimeout>;
  #isOpen = false;

  /** `stream` is what the socket reads from. */
  constructor(socket: WebSocket, stream: Duplex, parts: PageSocketParts) {
    this.#socket = socket;
    this.#limitOpening(stream);
    this.#parts = parts;
    this.#openTimer = runLater(
      () => this.#end(closeCodes.unknownSession, "The session was not opened."),
      openMs,
    );
    socket.on("message", (data, isBinary) => void this.#onMessage(isBinary ? undefined : String(data)));
    socket.on("close", () => this.#onClose());
    // A broken frame ends the socket; the close follows.
    socket.on("error", () => {});
  }

  send(event: PageEvent): void {
    if (droppable.has(event.type) && this.#socket.bufferedAmount > maxWaitingBytes) return;
    this.#write(event);
  }

  /** Cuts off whoever sends much before the session is open. A frame is held until it is whole. */
  #limitOpening(stream: Duplex): void {
    let read = 0;
    const count = (chunk: Buffer) => {
      if (this.#isOpen) return void stream.off("data", count);
      read += chunk.length;
      if (read > maxOpeningBytes) this.#socket.terminate();
    };
    stream.on("data", count);
  }

  async #onMessage(text: string | undefined): Promise<void> {
    const request = text === undefined ? undefined : readRequest(text);
    if (request === undefined)
      return this.#end(closeCodes.notUnderstood, "Messages are JSON with type and id.");
    const { type, id, params } = request;
    try {
      const result = this.#isOpen ? await this.#run(type, id, params) : this.#open(type, params);
      this.#write({ type: "result", id, result });
    } catch (error) {
      this.#write({ type: "failure", id, failure: toFailure(error) });
      if (!this.#isOpen) this.#end(closeCodes.unknownSession, "The session is unknown.");
    }
  }

  #open(type: unknown, params: unknown): unknown {
    const { session, access } = this.#parts;
    const { token, secret } = isObject(params) ? params : {};
    if (type !== "open-session") throw unknownSession("The first message opens the session.");
    const own = typeof token === "string" ? access.exchange(token) : toKnown(secret, access);
    if (own === undefined)
      throw unknownSession("This address was used before, is too old, or belongs to another start.");
    this.#isOpen = true;
    clearTimeout(this.#openTimer);
    session.join(this);
    return { secret: own, ...session.view };
  }

  async #run(type: unknown, id: number, params: unknown): Promise<unknown> {
    if (!isRequestType(type))
      throw new InspectorError("invalid-request", `There is no request ${String(type)}.`);
    assertParams(type, params);
    if (type === "cancel") return this.#cancel((params as { readonly request: number }).request);
    if (this.#running.has(id)) throw new InspectorError("invalid-request", `The id ${id} is in use.`);
    if (this.#running.size >= maxRunning)
      throw new InspectorError("too-much", `At most ${maxRunning} requests run at a time.`);
    const abort = new AbortController();
    // A load test waits for it with each of its calls.
    setMaxListeners(0, abort.signal);
    this.#running.set(id, abort);
    try {
      return await this.#handle(type, params, {
        session: this.#parts.session,
        id,
        signal: abort.signal,
        push: (event, members) => this.send({ type: event, ...members } as PageEvent & { type: EventType }),
      });
    } finally {
      this.#running.delete(id);
    }
  }

  #handle(type: RequestType, params: unknown, call: PageCall): unknown {
    const table: Readonly<Record<string, ((params: never, call: PageCall) => unknown) | undefined>> =
      requestTable;
    const handler = table[type];
    if (handler === undefined) throw new InspectorError("invalid-request", `${type} can't be sent now.`);
    return handler(params as never, call);
  }

  #cancel(id: number): object {
    this.#running.get(id)?.abort(new InspectorError("cancelled", "The request was cancelled."));
    return {};
  }

  #write(message: PageEvent | ServerReply): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    this.#socket.send(JSON.stringify(message));
    if (this.#socket.bufferedAmount > maxUnreadBytes) this.#socket.terminate();
  }

  #end(code: number, reason: string): void {
    this.#socket.close(code, reason);
  }

  #onClose(): void {
    clearTimeout(this.#openTimer);
    this.#parts.session.leave(this);
    for (const abort of this.#running.values())
      abort.abort(new InspectorError("cancelled", "The page was closed."));
  }
}

function unknownSession(message: string): InspectorError {
  return new InspectorError("session-unknown", message, {
    hint: "Open the address that the terminal shows.",
  });
}

function toKnown(secret: unknown, access: PageTokens): string | undefined {
  return typeof secret === "string" && access.isSecret(secret) ? secret : undefined;
}

function readRequest(text: string): (JsonObject & { readonly id: number }) | undefined {
  try {
    const request: unknown = JSON.parse(text);
    return isObject(request) && Number.isSafeInteger(request.id) ? (request as never) : undefined;
  } catch {
    // Not JSON: the socket is ended.
    return undefined;
  }
}
