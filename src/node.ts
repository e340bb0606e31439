import type { IncomingMessage, ServerResponse } from "node:http";
import type { OpenLogin } from "./auth/client/login.ts";
import type { CredentialStore } from "./auth/client/store.ts";
import type { FileStoreOptions } from "./auth/node/file-store.ts";
import type { LoopbackLoginOptions } from "./auth/node/loopback-login.ts";
import type { TrustStore } from "./client/trust-store.ts";
import { Site } from "./guard/site.ts";
import type { NodeHandler } from "./node-handler.ts";
import type { Servable } from "./peer/service.ts";
import type { HttpServing, ServeHttpOptions } from "./serve-http.ts";
import type { ServeSocketOptions, SocketServing } from "./serve-socket.ts";
import type { HttpOptions } from "./transports/http/http-options.ts";

export type { CredentialStore } from "./auth/client/store.ts";
export type { FileStoreOptions } from "./auth/node/file-store.ts";
export type { LoopbackLoginOptions } from "./auth/node/loopback-login.ts";
export type { TrustStore, TrustValue } from "./client/trust-store.ts";
export type { NodeHandler } from "./node-handler.ts";
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
 * Makes a handler for `node:http`, Express and the like.
 *
 * Paths are those that the client sees, wherever the handler is mounted. A body that was
 * parsed before is taken as it is.
 */
export function createNodeHandler(server: Servable, options: HttpOptions = {}): NodeHandler {
  // A setting that can't be right is refused here, not when the first request comes.
  new Site(options);
  options.auth?.protect({
    publicUrl: options.publicUrl,
    endpoints: [[options.path ?? "/mcp"]],
    values: nowhere,
  });
  let handle: NodeHandler | undefined;
  const loading = import("./node-handler.ts").then((http) => {
    handle = http.createNodeHandler(server, options);
    return handle;
  });
  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    if (handle) handle(request, response);
    else void loading.then((loaded) => loaded(request, response));
  };
  return Object.assign(onRequest, { close: async (drainMs?: number) => (await loading).close(drainMs) });
}

const nowhere = { add: () => true, get: () => undefined };

/**
 * Serves a server value over a unix socket, or over TCP on this machine.
 *
 * The file of a unix socket is for this user only; one that a dead server left is replaced.
 */
export async function serveSocket(server: Servable, options: ServeSocketOptions): Promise<SocketServing> {
  const sockets = await import("./serve-socket.ts");
  return sockets.serveSocket(server, options);
}

/** Lets users log in with a browser on this machine, and listens on loopback for them to come back. */
export function loopbackLogin(options: LoopbackLoginOptions = {}): OpenLogin {
  return async (known) => {
    const login = await import("./auth/node/loopback-login.ts");
    return login.loopbackLogin(options)(known);
  };
}

/**
 * Keeps credentials in encrypted files, for this user only.
 *
 * Processes that share the folder log in once and refresh tokens one at a time.
 */
export async function fileStore(options: FileStoreOptions): Promise<CredentialStore> {
  const stores = await import("./auth/node/file-store.ts");
  return stores.fileStore(options);
}

/**
 * Keeps what the host has agreed to, for `consentPolicy` and `pinTools`, in one JSON file for this user only.
 *
 * Several processes may share it.
 */
export function fileTrust(path: string): TrustStore {
  let loading: Promise<TrustStore> | undefined;
  const load = () => {
    loading ??= import("./trust-file.ts").then(({ FileTrust }) => new FileTrust(path));
    return loading;
  };
  return {
    get: async (key) => (await load()).get(key),
    set: async (key, value) => (await load()).set(key, value),
  };
}
