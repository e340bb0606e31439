import { createServer as createHttpServer, type Server as NodeServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { isLoopback } from "./guard/site.ts";
import type { Servable } from "./peer/service.ts";
import { UsageError } from "./protocol/errors.ts";
import { encodeFailure } from "./protocol/message.ts";
import { WireCode } from "./protocol/wire-error.ts";
import { HttpCore } from "./transports/http/http-core.ts";
import type { HttpOptions } from "./transports/http/http-options.ts";
import { NodeReply, NodeRequest } from "./transports/http/node/node-exchange.ts";

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
  const http = createHttpServer(
    {
      headersTimeout: headersTimeoutMs,
      requestTimeout: requestTimeoutMs,
      connectionsCheckingInterval: checkTimeoutsMs,
    },
    (request, response) => void core.handle(new NodeRequest(request), new NodeReply(response)),
  );
  http.on("clientError", answerBroken);
  await listen(http, port, host);
  const { port: bound } = http.address() as AddressInfo;
  return {
    port: bound,
    url: `http://${host.includes(":") ? `[${host}]` : host}:${bound}${options.path ?? "/mcp"}`,
    close: (drainMs) => closeAll(http, core, drainMs),
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

async function closeAll(http: NodeServer, core: HttpCore, drainMs?: number): Promise<void> {
  const closed = new Promise<void>((resolve) => http.close(() => resolve()));
  http.closeIdleConnections();
  await core.close(drainMs);
  http.closeAllConnections();
  await closed;
}

/** What is not even HTTP, or came too slowly, is answered in JSON-RPC all the same. */
function answerBroken(error: Error & { code?: string }, socket: Socket): void {
  if (!socket.writable || socket.destroyed) return void socket.destroy();
  const status = brokenStatus(error.code);
  const body = encodeFailure(null, { code: WireCode.invalidRequest, message: status.slice(4) });
  const head = `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close`;
  socket.end(`${head}\r\n\r\n${body}`);
}

function brokenStatus(code: string | undefined): string {
  switch (code) {
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return "408 Request Timeout";
    case "HPE_HEADER_OVERFLOW":
      return "431 Request Header Fields Too Large";
    default:
      return "400 Bad Request";
  }
}
