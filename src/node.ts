import type { Servable } from "./peer/service.ts";
import type { HttpServing, ServeHttpOptions } from "./serve-http.ts";
import type { ServeSocketOptions, SocketServing } from "./serve-socket.ts";

export type { HttpServing, ServeHttpOptions } from "./serve-http.ts";
export type { ServeSocketOptions, SocketServerLimits, SocketServing } from "./serve-socket.ts";
export { type ServeStdioOptions, type StdioServing, serveStdio } from "./serve-stdio.ts";
export type { SocketAddress, TcpAddress, UnixAddress } from "./transports/socket/socket-address.ts";
export { type SocketLimits, socketTransport } from "./transports/socket/socket-transport.ts";
export { type StdioCommand, stdioTransport } from "./transports/stdio/stdio-transport.ts";
export type { WebSocketUpgrader } from "./transports/websocket/websocket-endpoint.ts";
export { type WebSocketLimits, websocketLimits } from "./transports/websocket/websocket-limits.ts";

// A host starts a process for each server on stdio and waits for it, so what listens is loaded when it is used.

/** Serves a server value over HTTP to clients of every revision. */
export async function serveHttp(server: Servable, options: ServeHttpOptions = {}): Promise<HttpServing> {
  const http = await import("./serve-http.ts");
  return http.serveHttp(server, options);
}

/**
 * Serves a server value over a unix socket, or over TCP on this machine.
 *
 * The file of a unix socket is for this user only; one that a dead server left is replaced.
 */
export async function serveSocket(server: Servable, options: ServeSocketOptions): Promise<SocketServing> {
  const sockets = await import("./serve-socket.ts");
  return sockets.serveSocket(server, options);
}
