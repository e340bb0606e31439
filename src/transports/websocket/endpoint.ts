import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { toHolder } from "../../contract/caller/holder.ts";
import { type RequestSource, toHttpView } from "../../contract/caller/http-view.ts";
import type { Principal } from "../../contract/caller/principal.ts";
import { atTokenExpiry } from "../../contract/caller/token-expiry.ts";
import type { PingOptions } from "../../contract/ping.ts";
import type { Service } from "../../contract/service.ts";
import type { DebugOption } from "../../debug/debug-log.ts";
import { sessionSize } from "../../guard/session-size.ts";
import { Heartbeat } from "../../lib/async/heartbeat.ts";
import { FairBudget } from "../../lib/bounded/fair-budget.ts";
import { type UnreadBudget, UnreadShare } from "../../lib/bounded/unread-share.ts";
import { ServerConnection } from "../../peer/server-connection.ts";
import { assertWebSocketLimits } from "./limits.ts";
import { WebSocketPipe } from "./pipe.ts";
import { type UnfinishedBudget, UnfinishedMessage } from "./unfinished-message.ts";
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

/** One HTTP request to change the protocol of its connection. */
export interface UpgradeRequest {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  /** The bytes that were read after the request. */
  readonly head: Uint8Array;
}

/** The caller of an upgrade request that passed the checks of the HTTP server. */
export interface UpgradeCaller {
  readonly principal: Principal | undefined;
  readonly address: string | undefined;
  readonly http: RequestSource;
}

export interface WebSocketEndpointOptions {
  readonly upgrader: WebSocketUpgrader;
  /** Checks a request as the HTTP server checks all others; answers one that it refuses. Never rejects. */
  readonly admit: (request: IncomingMessage, socket: Duplex) => Promise<UpgradeCaller | undefined>;
  /** Answers with 503 and closes the connection. */
  readonly refuse: (socket: Duplex, message: string, retryAfterSeconds: number) => void;
  readonly maxBodyBytes: number;
  readonly stallMs: number;
  readonly keepAliveMs: number;
  readonly maxConnections: number;
  /** Bytes of the sessions of all connections. */
  readonly maxSessionBytes: number;
  /** The room for messages that have begun to arrive. */
  readonly unfinished: UnfinishedBudget;
  /** The room for messages that wait for their readers. */
  readonly unread: UnreadBudget;
  /** The time that a message may take to arrive. */
  readonly messageMs: number;
  readonly ping?: PingOptions | undefined;
  readonly debug?: DebugOption | undefined;
}

/** One place in the budget of connections. */
interface OpenSocket {
  readonly socket: Duplex;
  connection: ServerConnection | undefined;
}

/** WebSockets at the endpoint of an HTTP server, behind its checks; each is one connection of a client. */
export class WebSocketEndpoint {
  readonly #service: Service;
  readonly #options: WebSocketEndpointOptions;
  readonly #heartbeat: Heartbeat;
  readonly #connections = new Set<ServerConnection>();
  readonly #budget: FairBudget<OpenSocket>;
  #closed = false;

  constructor(service: Service, options: WebSocketEndpointOptions) {
    assertWebSocketLimits(options.upgrader.options, options.maxBodyBytes);
    this.#service = service;
    this.#options = options;
    this.#heartbeat = new Heartbeat(options.keepAliveMs);
    this.#budget = new FairBudget({
      count: options.maxConnections,
      bytes: options.maxSessionBytes,
      evict: ({ socket, connection }) => void (connection ? connection.close(0) : socket.destroy()),
    });
  }

  async open({ request, socket, head }: UpgradeRequest): Promise<void> {
    const { upgrader, admit, refuse } = this.#options;
    socket.on("error", () => socket.destroy());
    const caller = await admit(request, socket);
    if (caller === undefined) return;
    if (this.#closed) return refuse(socket, "The server is closing.", 1);
    const place: OpenSocket = { socket, connection: undefined };
    if (!this.#budget.add(place, toHolder(caller), 0))
      return refuse(socket, "Too many connections are open; try again later.", 5);
    socket.once("close", () => this.#budget.remove(place));
    if (socket.destroyed) return this.#budget.remove(place);
    upgrader.handleUpgrade(request, socket, head, (opened) => this.#connect(opened, caller, place));
  }

  /** Gives running calls time to finish, then closes all connections. */
  async close(drainMs?: number): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#connections].map((connection) => connection.close(drainMs)));
  }

  #connect(socket: WebSocketLike, caller: UpgradeCaller, place: OpenSocket): void {
    const { maxBodyBytes, stallMs } = this.#options;
    const { principal, address, http } = caller;
    const holder = toHolder(caller);
    const cut = () => void place.socket.destroy();
    const { unfinished: budget, unread, messageMs } = this.#options;
    const input = new UnfinishedMessage({ budget, holder, messageMs, cut });
    const output = new UnreadShare(unread, holder, cut);
    const pipe = new WebSocketPipe(socket, {
      side: "server",
      maxMessageBytes: maxBodyBytes,
      stallMs,
      heartbeat: this.#heartbeat,
      input,
      output,
    });
    // Until the end of the socket: bytes are kept in the closing handshake, too.
    place.socket.on("data", (chunk: Uint8Array) => input.onBytes(chunk));
    place.socket.once("close", () => {
      input.end();
      output.release();
    });
    const connection = new ServerConnection(this.#service, pipe, {
      principal,
      address,
      http: toHttpView(http),
      debug: this.#options.debug,
      ping: this.#options.ping,
      onSessionChanged: (session) => {
        if (!this.#budget.resize(place, sessionSize(session))) void connection.close(0);
      },
    });
    place.connection = connection;
    this.#connections.add(connection);
    const stop = atTokenExpiry(principal, () => void connection.expire());
    void connection.closed.then(() => {
      this.#connections.delete(connection);
      this.#budget.remove(place);
      stop();
    });
  }
}
