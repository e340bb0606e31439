import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server as NodeServer,
  STATUS_CODES,
} from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { isLoopback } from "./guard/site.ts";
import type { Servable } from "./peer/service.ts";
import { UsageError } from "./protocol/errors.ts";
import { encodeFailure } from "./protocol/message.ts";
import { WireCode } from "./protocol/wire-error.ts";
import { HttpCore } from "./transports/http/http-core.ts";
import type { HttpOptions } from "./transports/http/http-options.ts";
import { NodeReply, NodeRequest } from "./transports/http/node/node-exchange.ts";
import { RawReply } from "./transports/http/node/raw-reply.ts";
import { withoutUpgrade } from "./transports/http/node/without-upgrade.ts";
import { jsonHeaders } from "./transports/http/refuse.ts";
import type { WebSocketEndpoint, WebSocketUpgrader } from "./transports/websocket/websocket-endpoint.ts";

export interface ServeHttpOptions extends HttpOptions {
  /** Default: any free one. */
  readonly port?: number;
  /**
   * The address to listen on. Default `127.0.0.1`: this machine only.
   *
   * Any other needs `allowedHosts`, `publicUrl` or `identify`, so that nobody opens a
   * server to the network by accident.
   */
  readonly host?: string;
  /**
   * Serves WebSockets at the same path, too: `new WebSocketServer(websocketLimits())` of
   * the package `ws`.
   */
  readonly websocket?: WebSocketUpgrader;
}

export interface HttpServing {
  /** The endpoint. */
  readonly url: string;
  readonly port: number;
  /** Takes no more requests, lets those under way finish, then closes everything. */
  close(drainMs?: number): Promise<void>;
}

const headersTimeoutMs = 10_000;
const requestTimeoutMs = 25_000;
const checkTimeoutsMs = 2_000;

/** Serves a server value over HTTP to clients of every revision. */
export async function serveHttp(server: Servable, options: ServeHttpOptions = {}): Promise<HttpServing> {
  const { host = "127.0.0.1", port = 0 } = options;
  assertMayListen(host, options);
  const core = new HttpCore(server["~service"](), options);
  const sockets = await createWebSocketEndpoint(server, core, options);
  const http = createHttpServer(
    {
      headersTimeout: headersTimeoutMs,
      requestTimeout: requestTimeoutMs,
      connectionsCheckingInterval: checkTimeoutsMs,
    },
    (request, response) => void core.handle(new NodeRequest(request), new NodeReply(response)),
  );
  http.on("clientError", answerBroken);
  if (sockets) http.on("upgrade", onUpgrade(http, sockets));
  await listen(http, port, host);
  const { port: bound } = http.address() as AddressInfo;
  return {
    port: bound,
    url: `http://${host.includes(":") ? `[${host}]` : host}:${bound}${options.path ?? "/mcp"}`,
    close: (drainMs) => closeAll(http, [core, ...(sockets ? [sockets] : [])], drainMs),
  };
}

/** Loaded when it is needed. */
async function createWebSocketEndpoint(
  server: Servable,
  core: HttpCore,
  options: ServeHttpOptions,
): Promise<WebSocketEndpoint | undefined> {
  if (options.websocket === undefined) return undefined;
  const { WebSocketEndpoint } = await import("./transports/websocket/websocket-endpoint.ts");
  return new WebSocketEndpoint(server["~service"](), core, options.websocket, options);
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
  if (isLoopback(host) || options.allowedHosts || options.publicUrl || options.identify) return;
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

async function closeAll(http: NodeServer, parts: readonly Closing[], drainMs?: number): Promise<void> {
  const closed = new Promise<void>((resolve) => http.close(() => resolve()));
  http.closeIdleConnections();
  await Promise.all(parts.map((part) => part.close(drainMs)));
  http.closeAllConnections();
  await closed;
}

/** What is not even HTTP, or came too slowly, is answered in JSON-RPC all the same. */
function answerBroken(error: Error & { code?: string }, socket: Socket): void {
  const status = brokenStatus(error.code);
  const message = STATUS_CODES[status] ?? "Bad Request";
  new RawReply(socket).send(
    status,
    jsonHeaders,
    encodeFailure(null, { code: WireCode.invalidRequest, message }),
  );
}

function brokenStatus(code: string | undefined): number {
  switch (code) {
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return 408;
    case "HPE_HEADER_OVERFLOW":
      return 431;
    default:
      return 400;
  }
}
