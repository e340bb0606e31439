import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { Service } from "../../contract/service.ts";
import { Heartbeat } from "../../lib/heartbeat.ts";
import { runLater } from "../../lib/timers.ts";
import { ServerConnection } from "../../peer/server-connection.ts";
import type { AdmittedRequest } from "../http/server/admission.ts";
import type { HttpEndpoint } from "../http/server/endpoint.ts";
import { sendError } from "../http/server/error-response.ts";
import { type HttpOptions, type HttpSettings, toHttpSettings } from "../http/server/http-options.ts";
import { NodeRequest } from "../http/server/node/node-request.ts";
import { SocketReply } from "../http/server/node/socket-reply.ts";
import { assertWebSocketLimits } from "./assert-limits.ts";
import { WebSocketPipe } from "./pipe.ts";
import { tokenLifetimeMs } from "./token-lifetime.ts";
import type { WebSocketLike } from "./websocket-like.ts";

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
export interface UpgradeRequest {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  /** What was read after the request. */
  readonly head: Uint8Array;
}

/** WebSockets at the endpoint of an HTTP server, behind its guard; one conversation each. */
export class WebSocketEndpoint {
  readonly #service: Service;
  readonly #core: HttpEndpoint;
  readonly #upgrader: WebSocketUpgrader;
  readonly #settings: HttpSettings;
  readonly #heartbeat: Heartbeat;
  readonly #conversations = new Set<ServerConnection>();
  #closed = false;

  constructor(service: Service, core: HttpEndpoint, upgrader: WebSocketUpgrader, options: HttpOptions) {
    this.#service = service;
    this.#core = core;
    this.#upgrader = upgrader;
    this.#settings = toHttpSettings(options);
    assertWebSocketLimits(upgrader.options, this.#settings.maxBodyBytes);
    this.#heartbeat = new Heartbeat(this.#settings.keepAliveMs);
  }

  async open({ request, socket, head }: UpgradeRequest): Promise<void> {
    socket.on("error", () => socket.destroy());
    const reply = new SocketReply(socket);
    const admission = await this.#core.admit(new NodeRequest(request), reply);
    if (admission === undefined) return;
    if (this.#closed) return sendError(reply, 503, "The server is closing.", { "retry-after": "1" });
    if (this.#conversations.size >= this.#settings.sessions.max)
      return sendError(reply, 503, "Too many connections are open; try again later.", { "retry-after": "5" });
    this.#upgrader.handleUpgrade(request, socket, head, (opened) => this.#converse(opened, admission));
  }

  /** Lets calls under way finish for a while, and closes all connections. */
  async close(drainMs?: number): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#conversations].map((conversation) => conversation.close(drainMs)));
  }

  #converse(socket: WebSocketLike, { principal, address }: AdmittedRequest): void {
    const { maxBodyBytes, stallMs } = this.#settings;
    const pipe = new WebSocketPipe(socket, {
      side: "server",
      maxMessageBytes: maxBodyBytes,
      stallMs,
      heartbeat: this.#heartbeat,
    });
    const conversation = new ServerConnection(this.#service, pipe, { principal, address });
    this.#conversations.add(conversation);
    const lifetime = tokenLifetimeMs(principal);
    const end = lifetime === undefined ? undefined : runLater(() => void conversation.close(), lifetime);
    void conversation.closed.then(() => {
      this.#conversations.delete(conversation);
      clearTimeout(end);
    });
  }
}
