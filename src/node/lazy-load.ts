// A host starts a process for each stdio server and waits for it. The modules that such a server does not
// need are therefore loaded when they are first used.

import type { ServerResponse } from "node:http";
import type { OpenLogin } from "../auth/client/login.ts";
import type { CredentialStore } from "../auth/client/tokens/credential-store.ts";
import type { TrustStore } from "../client/trust/trust-store.ts";
import { assertOptions, type OptionKinds } from "../contract/options.ts";
import { type Servable, serviceOf } from "../contract/service.ts";
import { readHostCheckOptions } from "../guard/allow-list.ts";
import { OnDemand } from "../lib/async/on-demand.ts";
import { type HttpOptions, httpOptionKinds } from "../transports/http/server/http-options.ts";
import type { FileCredentialStoreOptions } from "./files/file-credential-store.ts";
import type { LoopbackLoginOptions } from "./login/loopback-login.ts";
import type { NodeHandler, RouteReply } from "./serve/node-handler.ts";
import type { HttpServerHandle, ServeHttpOptions } from "./serve/serve-http-options.ts";
import type { ServeSocketOptions, SocketServerHandle } from "./serve/serve-socket.ts";

/** Serves a server value over HTTP to clients of every revision. */
export async function serveHttp(server: Servable, options: ServeHttpOptions = {}): Promise<HttpServerHandle> {
  const http = await import("./serve/serve-http.ts");
  return http.serveHttp(server, options);
}

/**
 * Creates a handler for `node:http`, Express and the like.
 *
 * It serves its paths below the path at which it is mounted, or the paths that the client sees. A body
 * that was parsed before is used as it is.
 */
export function createNodeHandler(server: Servable, options: HttpOptions = {}): NodeHandler {
  // Invalid options throw here, not when the first request comes.
  assertOptions("createNodeHandler", options, httpOptionKinds);
  const service = serviceOf("createNodeHandler", server);
  readHostCheckOptions(options);
  options.auth?.protect({ publicUrl: options.publicUrl, endpoints: [[options.path ?? "/mcp"]] });
  const handler = new OnDemand(async () => {
    const http = await import("./serve/serve-http.ts");
    return http.createNodeHandler(server, options);
  });
  const report = (cause: unknown) => service.report("The HTTP server could not be loaded", cause);
  const onRequest = (...args: Parameters<NodeHandler>) => {
    if (handler.loaded) return handler.loaded(...args);
    handler.tryUse(
      (handle) => handle(...args),
      (cause) => {
        const next = (args as readonly unknown[])[2];
        if (typeof next === "function") return next(cause);
        if (handler.loaded) service.report("A request could not be handled", cause);
        else report(cause);
        sendFailure(args[1]);
      },
    );
  };
  // Loaded before the first request comes.
  handler.tryUse(() => {}, report);
  return Object.assign(onRequest as NodeHandler, {
    close: async (drainMs?: number) => handler.use((handle) => handle.close(drainMs)),
  });
}

/** Answers a request that can't be handled. */
function sendFailure(response: ServerResponse | RouteReply): void {
  if (!("hijack" in response)) return void response.writeHead(500).end();
  response.hijack();
  response.raw.writeHead(500).end();
}

/**
 * Serves a server value over a unix socket, or over TCP on this machine.
 *
 * Only this user may connect to the unix socket; a file that a dead server left is replaced.
 */
export async function serveSocket(
  server: Servable,
  options: ServeSocketOptions,
): Promise<SocketServerHandle> {
  const sockets = await import("./serve/serve-socket.ts");
  return sockets.serveSocket(server, options);
}

const loginOptionKinds: OptionKinds<LoopbackLoginOptions> = {
  open: "function",
  paste: "function",
  port: "number",
  page: "string",
};

/** Lets users log in with a browser on this machine; receives the redirect on loopback. */
export function loopbackLogin(options: LoopbackLoginOptions = {}): OpenLogin {
  assertOptions("loopbackLogin", options, loginOptionKinds);
  return async (known) => {
    const login = await import("./login/loopback-login.ts");
    return login.loopbackLogin(options)(known);
  };
}

/**
 * Stores credentials in encrypted files, for this user only.
 *
 * Processes that share the folder log in once and refresh tokens one at a time.
 */
export async function fileCredentialStore(options: FileCredentialStoreOptions): Promise<CredentialStore> {
  const stores = await import("./files/file-credential-store.ts");
  return stores.fileCredentialStore(options);
}

/**
 * Stores what the user agreed to, for `consentPolicy` and `pinTools`, in one JSON file for this user only.
 *
 * Several processes may share it.
 */
export function fileTrustStore(path: string): TrustStore {
  const store = new OnDemand(async () => {
    const { FileTrustStore } = await import("./files/file-trust-store.ts");
    return new FileTrustStore(path);
  });
  return {
    get: async (key) => store.use((loaded) => loaded.get(key)),
    update: async (key, change) => store.use((loaded) => loaded.update(key, change)),
  };
}
