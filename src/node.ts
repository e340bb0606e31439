/// <reference types="node" preserve="true" />
export type { CredentialStore } from "./auth/client/tokens/credential-store.ts";
export type { TrustChange, TrustStore, TrustValue } from "./client/trust/trust-store.ts";
export type { FileCredentialStoreOptions } from "./node/files/file-credential-store.ts";
export {
  createNodeHandler,
  fileCredentialStore,
  fileTrustStore,
  loopbackLogin,
  serveHttp,
  serveSocket,
} from "./node/lazy-load.ts";
export type { LoopbackLoginOptions } from "./node/login/loopback-login.ts";
export type { NodeHandler } from "./node/serve/node-handler.ts";
export type { HttpServerHandle, ServeHttpOptions } from "./node/serve/serve-http-options.ts";
export type {
  ServeSocketOptions,
  SocketServerHandle,
  SocketServerLimits,
} from "./node/serve/serve-socket.ts";
export { type ServeStdioOptions, type StdioServerHandle, serveStdio } from "./node/serve/serve-stdio.ts";
export type { ShutdownReason } from "./node/serve/supervise-process.ts";
export type { SocketAddress, TcpAddress, UnixAddress } from "./transports/socket/address.ts";
export { type SocketLimits, socketTransport } from "./transports/socket/transport.ts";
export { type StdioCommand, stdioTransport } from "./transports/stdio/transport.ts";
export type { WebSocketUpgrader } from "./transports/websocket/endpoint.ts";
export { type WebSocketLimits, websocketLimits } from "./transports/websocket/limits.ts";
