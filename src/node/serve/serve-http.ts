import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server as NodeServer,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { assertOptions } from "../../contract/options.ts";
import { type Servable, type Service, serviceOf } from "../../contract/service.ts";
import { UsageError } from "../../errors.ts";
import { OnDemand } from "../../lib/async/on-demand.ts";
import { sleep } from "../../lib/async/sleep.ts";
import { settlesWithin } from "../../lib/async/wait-at-most.ts";
import { isCanonicalLoopbackHost } from "../../lib/loopback.ts";
import { HttpEndpoint } from "../../transports/http/server/endpoint.ts";
import { sendError } from "../../transports/http/server/error-response.ts";
import { toHttpSettings } from "../../transports/http/server/http-options.ts";
import { NodeReply } from "../../transports/http/server/node/node-reply.ts";
import { showAddress } from "../../transports/socket/address.ts";
import type { WebSocketEndpoint } from "../../transports/websocket/endpoint.ts";
import { closeEndpoint, toRequestListener } from "./node-handler.ts";
import { type HttpServerHandle, type ServeHttpOptions, serveHttpOptionKinds } from "./serve-http-options.ts";

/** Loaded with the first request that is not HTTP: clients send none. */
const malformed = new OnDemand(() => import("../../transports/http/server/node/malformed-request.ts"));

// Loaded together: each file of its own costs a start.
export { createNodeHandler } from "./node-handler.ts";

/** Serves a server value over HTTP to clients of every revision. */
export async function serveHttp(server: Servable, options: ServeHttpOptions = {}): Promise<HttpServerHandle> {
  const service = serviceOf("serveHttp", server);
  assertOptions("serveHttp", options, serveHttpOptionKinds);
  const { host = "127.0.0.1", port = 0 } = options;
  assertMayListen(host, options);
  const { workers, inspector, ...others } = options;
  if (inspector) {
    // Loaded on demand: it is for development.
    const { serveWithInspector } = await import("./serve-with-inspector.ts");
    return serveWithInspector(service.name, inspector, () =>
      serveHttp(server, workers === undefined ? others : { ...others, workers }),
    );
  }
  if (workers !== undefined) {
    // Loaded on demand: most servers are one process.
    const { serveWithWorkers } = await import("../workers/serve-workers.ts");
    return serveWithWorkers(service, { ...options, workers }, (own) => serveHttp(server, own));
  }
  await service.ready;
  const http = createHttpServer(toLimits(options));
  // The size of all headers is limited; a limit to their number would hide some from the checks.
  http.maxHeadersCount = 0;
  http.on("clientError", answerMalformed);
  const endpoint = await createEndpoint(service, http, options);
  const sockets = await openWebSockets(http, endpoint, options);
  http.on("checkExpectation", (_, response) => refuseExpectation(response, endpoint.stallMs));
  try {
    if (!http.listening) await listen(http, port, host);
  } catch (error) {
    await endpoint.close(0);
    throw error;
  }
  service.prepare?.();
  return {
    port: (http.address() as AddressInfo).port,
    url: urlOf(http, options),
    close: async (drainMs) => {
      http.prependListener("request", endConnection);
      await Promise.all([closeEndpoint(endpoint, drainMs), sockets?.close(drainMs)]);
      // Where there are other nodes, one of them can take what is still on its way.
      await closeServer(http, !options.state?.isShared || drainMs === 0 ? 0 : lastRequestsMs);
    },
  };
}

/** Listens first where the URL must be known: tokens are issued for the URL of a server, which contains its port. */
async function createEndpoint(
  service: Service,
  http: NodeServer,
  options: ServeHttpOptions,
): Promise<HttpEndpoint> {
  const { host = "127.0.0.1", port = 0, auth, publicUrl } = options;
  const usesBoundUrl = auth !== undefined && publicUrl === undefined && isCanonicalLoopbackHost(host);
  if (usesBoundUrl) await listen(http, port, host);
  try {
    const endpoint = new HttpEndpoint(
      service,
      usesBoundUrl ? { ...options, publicUrl: urlOf(http, options) } : options,
    );
    http.on("request", toRequestListener(endpoint));
    await endpoint.opened;
    return endpoint;
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
  const { headersMs = 10_000, idleConnectionMs = 72_000 } = options;
  return {
    keepAliveTimeout: idleConnectionMs,
    headersTimeout: headersMs,
    // Bodies have a limit of their own; this one is for bodies that are not read.
    requestTimeout: headersMs + toHttpSettings(options).bodyMs,
    connectionsCheckingInterval: Math.min(2_000, headersMs / 2),
    // The host check answers it, with a body.
    requireHostHeader: false,
  };
}

/** Loaded on demand: most servers serve no WebSockets. */
async function openWebSockets(
  http: NodeServer,
  endpoint: HttpEndpoint,
  { websocket, ...options }: ServeHttpOptions,
): Promise<WebSocketEndpoint | undefined> {
  if (websocket === undefined) return undefined;
  const { serveWebSockets } = await import("./serve-websockets.ts");
  return serveWebSockets(http, endpoint, { ...options, websocket });
}

function answerMalformed(error: Error, socket: Duplex): void {
  malformed.tryUse(
    (part) => part.answerMalformed(error, socket),
    () => socket.destroy(),
  );
}

function refuseExpectation(response: ServerResponse, stallMs: number): void {
  sendError(new NodeReply(response, stallMs), 417, "Expect may only be 100-continue.");
}

function assertMayListen(host: string, options: ServeHttpOptions): void {
  if (isCanonicalLoopbackHost(host) || options.allowedHosts?.length || options.publicUrl) return;
  throw new UsageError(
    `Listening on ${host} opens this server to other machines; set publicUrl or allowedHosts to the names that clients use, or listen on 127.0.0.1.`,
  );
}

function listen(http: NodeServer, port: number, host: string): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    http.once("error", reject);
    http.listen(port, host, () => {
      http.off("error", reject);
      resolve();
    });
  }).catch(async (error: unknown) => {
    const { toListenError } = await import("../../transports/socket/listen-error.ts");
    throw toListenError(error, showAddress({ host, port }));
  });
}

/**
 * Has the connection of a request end with its answer, so that its client does not send the next over a connection that
 * is being closed. A long body may still be on its way then, and the answer would be lost with the connection.
 */
function endConnection({ headers }: IncomingMessage, response: ServerResponse): void {
  const isLong = Number(headers["content-length"]) > 16_384 || "transfer-encoding" in headers;
  response.shouldKeepAlive &&= isLong;
}

/** The time in which a balancer learns that a node is closing, and sends no more requests. */
const lastRequestsMs = 250;

/**
 * Closes the socket, after the parts behind it: the messages of running calls may arrive over new connections.
 *
 * For `graceMs` it still takes requests, which are asked to come back, and then answers the last of them.
 */
async function closeServer(http: NodeServer, graceMs: number): Promise<void> {
  if (graceMs > 0) await sleep(graceMs);
  const closed = new Promise<void>((resolve) => http.close(() => resolve()));
  if (graceMs > 0) {
    http.closeIdleConnections();
    await settlesWithin(graceMs, closed);
  }
  http.closeAllConnections();
  await closed;
}
