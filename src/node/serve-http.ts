import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server as NodeServer,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import type { Servable, Service } from "../contract/service.ts";
import { UsageError } from "../errors.ts";
import { isLoopback } from "../guard/host-check.ts";
import { HttpEndpoint } from "../transports/http/server/endpoint.ts";
import { sendError } from "../transports/http/server/error-response.ts";
import { type HttpOptions, toHttpSettings } from "../transports/http/server/http-options.ts";
import { answerMalformed } from "../transports/http/server/node/malformed-request.ts";
import { NodeReply } from "../transports/http/server/node/node-reply.ts";
import { withoutUpgrade } from "../transports/http/server/node/without-upgrade.ts";
import type { WebSocketEndpoint, WebSocketUpgrader } from "../transports/websocket/endpoint.ts";
import { toRequestListener } from "./node-handler.ts";

export interface ServeHttpOptions extends HttpOptions {
  /** Default: a free one. */
  readonly port?: number;
  /**
   * The address to listen on. Default `127.0.0.1`: this machine only.
   *
   * Any other needs `allowedHosts`, `publicUrl`, `identify` or `auth`, so that nobody opens a
   * server to the network by accident.
   */
  readonly host?: string;
  /** How long the head of a request may take to arrive. Default 10,000. */
  readonly headersMs?: number;
  /**
   * Serves WebSockets at the same path, too: `new WebSocketServer(websocketLimits())` of
   * the package `ws`.
   */
  readonly websocket?: WebSocketUpgrader;
}

export interface HttpServerHandle {
  /** The endpoint. */
  readonly url: string;
  readonly port: number;
  /** Takes no more requests, lets those under way finish, then closes everything. */
  close(drainMs?: number): Promise<void>;
}

/** Serves a server value over HTTP to clients of every revision. */
export async function serveHttp(server: Servable, options: ServeHttpOptions = {}): Promise<HttpServerHandle> {
  const { host = "127.0.0.1", port = 0 } = options;
  assertMayListen(host, options);
  const http = createHttpServer(toLimits(options));
  // Their size is limited; a limit to their number would hide some from the guard.
  http.maxHeadersCount = 0;
  http.on("clientError", answerMalformed);
  const core = await createCore(server["~service"](), http, options);
  const sockets = await createWebSocketEndpoint(core, options);
  http.on("checkExpectation", (_, response) => refuseExpectation(response, core.stallMs));
  if (sockets) http.on("upgrade", onUpgrade(http, sockets));
  try {
    if (!http.listening) await listen(http, port, host);
  } catch (error) {
    await core.close(0);
    throw error;
  }
  return {
    port: (http.address() as AddressInfo).port,
    url: urlOf(http, options),
    close: (drainMs) => closeAll(http, [core, ...(sockets ? [sockets] : [])], drainMs),
  };
}

/** Tokens are issued for the URL of a server, so where nobody says what it is the port must be known first. */
async function createCore(
  service: Service,
  http: NodeServer,
  options: ServeHttpOptions,
): Promise<HttpEndpoint> {
  const { host = "127.0.0.1", port = 0, auth, publicUrl } = options;
  const isAtHome = auth !== undefined && publicUrl === undefined && isLoopback(host);
  if (isAtHome) await listen(http, port, host);
  try {
    const core = new HttpEndpoint(
      service,
      isAtHome ? { ...options, publicUrl: urlOf(http, options) } : options,
    );
    http.on("request", toRequestListener(core));
    return core;
  } catch (error) {
    http.close();
    throw error;
  }
}

function urlOf(http: NodeServer, { host = "127.0.0.1", path = "/mcp" }: ServeHttpOptions): string {
  const { port } = http.address() as AddressInfo;
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}${path}`;
}

function toLimits(options: ServeHttpOptions) {
  const { headersMs = 10_000 } = options;
  return {
    headersTimeout: headersMs,
    // Bodies have a limit of their own; this is for those that nobody reads.
    requestTimeout: headersMs + toHttpSettings(options).bodyMs,
    connectionsCheckingInterval: Math.min(2_000, headersMs / 2),
    // The guard answers it, with a body.
    requireHostHeader: false,
  };
}

function refuseExpectation(response: ServerResponse, stallMs: number): void {
  sendError(new NodeReply(response, stallMs), 417, "Expect may only be 100-continue.");
}

/** Loaded when it is needed. */
async function createWebSocketEndpoint(
  core: HttpEndpoint,
  options: ServeHttpOptions,
): Promise<WebSocketEndpoint | undefined> {
  if (options.websocket === undefined) return undefined;
  const { WebSocketEndpoint } = await import("../transports/websocket/endpoint.ts");
  return new WebSocketEndpoint(core.service, core, options.websocket, options);
}

type OnUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

function onUpgrade(http: NodeServer, sockets: WebSocketEndpoint): OnUpgrade {
  return (request, socket, head) => {
    const { method, headers } = request;
    if (method === "GET" && headers.upgrade?.toLowerCase() === "websocket") {
      return void sockets.open({ request, socket, head });
    }
    // Some clients offer HTTP/2 with every first request, and mean HTTP/1.1 when nobody takes it up.
    socket.unshift(Buffer.concat([withoutUpgrade(request), head]));
    http.emit("connection", socket);
  };
}

function assertMayListen(host: string, options: ServeHttpOptions): void {
  if (isLoopback(host) || options.allowedHosts?.length || options.publicUrl) return;
  if (options.identify || options.auth) return;
  throw new UsageError(
    `Listening on ${host} opens this server to other machines; set publicUrl or allowedHosts to say under which names, or listen on 127.0.0.1.`,
  );
}

function listen(http: NodeServer, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    http.once("error", reject);
    http.listen(port, host, () => {
      http.off("error", reject);
      resolve();
    });
  });
}

interface Closing {
  close(drainMs?: number): Promise<void>;
}

/** Goes on listening while calls are under way: what belongs to them may come over new connections. */
async function closeAll(http: NodeServer, parts: readonly Closing[], drainMs?: number): Promise<void> {
  await Promise.all(parts.map((part) => part.close(drainMs)));
  const closed = new Promise<void>((resolve) => http.close(() => resolve()));
  http.closeAllConnections();
  await closed;
}
