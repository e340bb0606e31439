import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { Conversation } from "../../peer/conversation.ts";
import type { Service } from "../../peer/service.ts";
import { runLater } from "../http/background-timer.ts";
import { Heartbeat } from "../http/event-connection.ts";
import type { Admission, HttpCore } from "../http/http-core.ts";
import { type HttpOptions, type HttpSettings, toSettings } from "../http/http-options.ts";
import { NodeRequest } from "../http/node/node-request.ts";
import { RawReply } from "../http/node/raw-reply.ts";
import { refuse } from "../http/refuse.ts";
import { assertLimits } from "./assert-limits.ts";
import { lifetimeOf } from "./lifetime.ts";
import type { WebSocketLike } from "./web-socket.ts";
import { WebSocketPipe } from "./websocket-pipe.ts";

/** A `WebSocketServer` of the package `ws`, made with `websocketLimits`. */
export interface WebSocketUpgrader {
  readonly options: object;
  handleUpgrade(
    request: IncomingMessage,
    socket: Duplex,
    head: Uint8Array,
    onOpen: (socket: WebSocketLike) => void,
  ): void;
}

/** One request to change the protocol of its connection. */
export interface Upgrade {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  /** What was read after the request. */
  readonly head: Uint8Array;
}

/** WebSockets at the endpoint of an HTTP server, behind its guard; one conversation each. */
export class WebSocketEndpoint {
  readonly #service: Service;
  readonly #core: HttpCore;
  readonly #upgrader: WebSocketUpgrader;
  readonly #settings: HttpSettings;
  readonly #heartbeat: Heartbeat;
  readonly #conversations = new Set<Conversation>();
  #closed = false;

  constructor(service: Service, core: HttpCore, upgrader: WebSocketUpgrader, options: HttpOptions) {
    this.#service = service;
    this.#core = core;
    this.#upgrader = upgrader;
    this.#settings = toSettings(options);
    assertLimits(upgrader.options, this.#settings.maxBodyBytes);
    this.#heartbeat = new Heartbeat(this.#settings.keepAliveMs);
  }

  async open({ request, socket, head }: Upgrade): Promise<void> {
    socket.on("error", () => socket.destroy());
    const reply = new RawReply(socket);
    const admission = await this.#core.admit(new NodeRequest(request), reply);
    if (admission === undefined) return;
    if (this.#closed) return refuse(reply, 503, "The server is closing.", { "retry-after": "1" });
    if (this.#conversations.size >= this.#settings.sessions.max)
      return refuse(reply, 503, "Too many connections are open; try again later.", { "retry-after": "5" });
    this.#upgrader.handleUpgrade(request, socket, head, (opened) => this.#converse(opened, admission));
  }

  /** Lets calls under way finish for a while, and closes all connections. */
  async close(drainMs?: number): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#conversations].map((conversation) => conversation.close(drainMs)));
  }

  #converse(socket: WebSocketLike, { principal, address }: Admission): void {
    const { maxBodyBytes, stallMs } = this.#settings;
    const pipe = new WebSocketPipe(socket, {
      side: "server",
      maxMessageBytes: maxBodyBytes,
      stallMs,
      heartbeat: this.#heartbeat,
    });
    const conversation = new Conversation(this.#service, pipe, { principal, address });
    this.#conversations.add(conversation);
    const lifetime = lifetimeOf(principal);
    const end = lifetime === undefined ? undefined : runLater(() => void conversation.close(), lifetime);
    void conversation.closed.then(() => {
      this.#conversations.delete(conversation);
      clearTimeout(end);
    });
  }
}
