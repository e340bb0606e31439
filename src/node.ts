import type { IncomingMessage, ServerResponse } from "node:http";
import type { OpenLogin } from "./auth/client/login.ts";
import type { CredentialStore } from "./auth/client/tokens/credential-store.ts";
import type { TrustStore } from "./client/trust/trust-store.ts";
import type { Servable } from "./contract/service.ts";
import { HostCheck } from "./guard/host-check.ts";
import type { FileCredentialStoreOptions } from "./node/file-credential-store.ts";
import type { LoopbackLoginOptions } from "./node/loopback-login.ts";
import type { NodeHandler } from "./node/node-handler.ts";
import type { HttpServerHandle, ServeHttpOptions } from "./node/serve-http.ts";
import type { ServeSocketOptions, SocketServerHandle } from "./node/serve-socket.ts";
import type { HttpOptions } from "./transports/http/server/http-options.ts";

export type { CredentialStore } from "./auth/client/tokens/credential-store.ts";
export type { TrustChange, TrustStore, TrustValue } from "./client/trust/trust-store.ts";
export type { FileCredentialStoreOptions } from "./node/file-credential-store.ts";
export type { LoopbackLoginOptions } from "./node/loopback-login.ts";
export type { NodeHandler } from "./node/node-handler.ts";
export type { HttpServerHandle, ServeHttpOptions } from "./node/serve-http.ts";
export type { ServeSocketOptions, SocketServerHandle, SocketServerLimits } from "./node/serve-socket.ts";
export { type ServeStdioOptions, type StdioServerHandle, serveStdio } from "./node/serve-stdio.ts";
export type { SocketAddress, TcpAddress, UnixAddress } from "./transports/socket/address.ts";
export { type SocketLimits, socketTransport } from "./transports/socket/transport.ts";
export { type StdioCommand, stdioTransport } from "./transports/stdio/transport.ts";
export type { WebSocketUpgrader } from "./transports/websocket/endpoint.ts";
export { type WebSocketLimits, websocketLimits } from "./transports/websocket/limits.ts";

// A host starts a process for each server on stdio and waits for it, so what listens is loaded when it is used.

/** Serves a server value over HTTP to clients of every revision. */
export async function serveHttp(server: Servable, options: ServeHttpOptions = {}): Promise<HttpServerHandle> {
  const http = await import("./node/serve-http.ts");
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
  new HostCheck(options);
  options.auth?.protect({
    publicUrl: options.publicUrl,
    endpoints: [[options.path ?? "/mcp"]],
    values: nowhere,
  });
  let handle: NodeHandler | undefined;
  const loading = import("./node/node-handler.ts").then((http) => {
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
export async function serveSocket(
  server: Servable,
  options: ServeSocketOptions,
): Promise<SocketServerHandle> {
  const sockets = await import("./node/serve-socket.ts");
  return sockets.serveSocket(server, options);
}

/** Lets users log in with a browser on this machine, and listens on loopback for them to come back. */
export function loopbackLogin(options: LoopbackLoginOptions = {}): OpenLogin {
  return async (known) => {
    const login = await import("./node/loopback-login.ts");
    return login.loopbackLogin(options)(known);
  };
}

/**
 * Keeps credentials in encrypted files, for this user only.
 *
 * Processes that share the folder log in once and refresh tokens one at a time.
 */
export async function fileCredentialStore(options: FileCredentialStoreOptions): Promise<CredentialStore> {
  const stores = await import("./node/file-credential-store.ts");
  return stores.fileCredentialStore(options);
}

/**
 * Keeps what the host has agreed to, for `consentPolicy` and `pinTools`, in one JSON file for this user only.
 *
 * Several processes may share it.
 */
export function fileTrustStore(path: string): TrustStore {
  let loading: Promise<TrustStore> | undefined;
  const load = () => {
    loading ??= import("./node/file-trust-store.ts").then(({ FileTrustStore }) => new FileTrustStore(path));
    return loading;
  };
  return {
    get: async (key) => (await load()).get(key),
    update: async (key, change) => (await load()).update(key, change),
  };
}
