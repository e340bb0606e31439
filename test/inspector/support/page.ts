import { type InspectorOptions, serveInspector } from "allspeak/inspector";
import { onTestFinished } from "vitest";
import { WebSocket } from "ws";
import type { Failure } from "../../../src/inspector/messages/reply.ts";
import type { SessionView } from "../../../src/inspector/messages/session.ts";
import type {
  EventType,
  PageEvent,
  RequestParams,
  RequestResult,
  RequestType,
  ServerMessage,
} from "../../../src/inspector/messages.ts";
import { Queue } from "../../support/queue.ts";

/** The server refused a request of the page. */
class RequestFailed extends Error {
  readonly failure: Failure;
  constructor(failure: Failure) {
    super(`${failure.code}: ${failure.message}`);
    this.failure = failure;
  }
}

type EventOf<Type extends EventType> = Extract<PageEvent, { readonly type: Type }>;

/** The page's end of the WebSocket. */
export class Page {
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  readonly #socket: WebSocket;
  readonly #replies = new Map<number, (message: ServerMessage) => void>();
  readonly #events = new Map<string, Queue<PageEvent>>();
  #lastId = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on("message", (data) => this.#onMessage(JSON.parse(String(data))));
    this.closed = new Promise((resolve) =>
      socket.on("close", (code, reason) => resolve({ code, reason: String(reason) })),
    );
  }

  /** Opens a socket as a browser would that shows the page of this address. */
  static async connect(address: string, headers: Record<string, string> = {}): Promise<Page> {
    const url = new URL(address);
    const socket = new WebSocket(`ws://${url.host}/socket`, { headers: { origin: url.origin, ...headers } });
    const page = new Page(socket);
    await new Promise<void>((resolve, reject) => {
      socket.once("open", () => resolve());
      socket.once("error", reject);
    });
    return page;
  }

  /** The id of the request that was sent last. */
  get lastId(): number {
    return this.#lastId;
  }

  send<Type extends RequestType>(type: Type, params: RequestParams<Type>): Promise<RequestResult<Type>> {
    return this.sendRaw({ type, id: ++this.#lastId, params }) as Promise<RequestResult<Type>>;
  }

  sendRaw(request: { readonly id: number; readonly [member: string]: unknown }): Promise<unknown> {
    this.#socket.send(JSON.stringify(request));
    return new Promise((resolve, reject) => {
      this.#replies.set(request.id, (message) => {
        if (message.type === "result") resolve(message.result);
        else if (message.type === "failure") reject(new RequestFailed(message.failure));
      });
    });
  }

  sendText(text: string | Uint8Array): void {
    this.#socket.send(text);
  }

  /** The next event of a type that was not taken yet. */
  async next<Type extends EventType>(
    type: Type,
    matches: (event: EventOf<Type>) => boolean = () => true,
  ): Promise<EventOf<Type>> {
    for (;;) {
      const event = (await this.#queueOf(type).next()) as EventOf<Type>;
      if (matches(event)) return event;
    }
  }

  close(): void {
    this.#socket.close();
  }

  #onMessage(message: ServerMessage): void {
    if (message.type === "result" || message.type === "failure") this.#replies.get(message.id)?.(message);
    else this.#queueOf(message.type).push(message);
  }

  #queueOf(type: string): Queue<PageEvent> {
    const queue = this.#events.get(type) ?? new Queue<PageEvent>();
    this.#events.set(type, queue);
    return queue;
  }
}

/** Serves an inspector, and opens its page; both are closed when the test ends. */
export async function openPage(
  options: InspectorOptions = {},
): Promise<{ page: Page; session: SessionView; url: string }> {
  const inspector = await serveInspector({ env: {}, ...options });
  onTestFinished(() => inspector.close());
  const page = await Page.connect(inspector.url);
  const session = await page.send("open-session", { token: tokenOf(inspector.url) });
  return { page, session, url: inspector.url };
}

export function tokenOf(address: string): string {
  return new URL(address).hash.replace("#token=", "");
}
