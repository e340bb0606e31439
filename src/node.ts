export { type HttpServing, type ServeHttpOptions, serveHttp } from "./serve-http.ts";
export {
  type ServeSocketOptions,
  type SocketServerLimits,
  type SocketServing,
  serveSocket,
} from "./serve-socket.ts";
export { type ServeStdioOptions, type StdioServing, serveStdio } from "./serve-stdio.ts";
export type { SocketAddress, TcpAddress, UnixAddress } from "./transports/socket/socket-address.ts";
export { type SocketLimits, socketTransport } from "./transports/socket/socket-transport.ts";
export { type StdioCommand, stdioTransport } from "./transports/stdio/stdio-transport.ts";
export type { WebSocketUpgrader } from "./transports/websocket/websocket-endpoint.ts";
export { type WebSocketLimits, websocketLimits } from "./transports/websocket/websocket-limits.ts";
