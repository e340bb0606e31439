import type { OptionKinds } from "../../contract/options.ts";
import { type HttpOptions, httpOptionKinds } from "../../transports/http/server/http-options.ts";
import type { WebSocketUpgrader } from "../../transports/websocket/endpoint.ts";

export interface ServeHttpOptions extends HttpOptions {
  /** Default: a free one. */
  readonly port?: number;
  /**
   * The address to listen on. Default `127.0.0.1`: this machine only.
   *
   * Any other needs `publicUrl` or `allowedHosts`: requests name the host that they are for, and all others are
   * refused, so that no server is opened to the network by accident.
   */
  readonly host?: string;
  /** Time for the head of a request to arrive, in milliseconds. Default 10,000. */
  readonly headersMs?: number;
  /**
   * Time for which a connection without a request stays open, in milliseconds. Default 72,000.
   *
   * Balancers keep connections for about 60 seconds. One that the server closes first fails the request that is just
   * on its way.
   */
  readonly idleConnectionMs?: number;
  /**
   * Also serves WebSockets, at the same path: `new WebSocketServer(websocketLimits())` of
   * the package `ws`.
   */
  readonly websocket?: WebSocketUpgrader;
  /**
   * The number of processes that serve; each runs this same program. Default: this process alone.
   *
   * The code before `serveHttp` runs in each of them; the code after it runs in the first process only, which
   * serves nothing itself. Sessions and tasks are shared: without `state`, in the memory of the first process. A
   * worker that ends is replaced.
   */
  readonly workers?: number;
  /**
   * Serves the inspector beside the server, on a port of its own and on this machine only: `inspectorUrl` of the
   * result is its address. For development. Default false.
   */
  readonly inspector?: boolean | { readonly port?: number | undefined } | undefined;
}

export const serveHttpOptionKinds: OptionKinds<ServeHttpOptions> = {
  port: "number",
  host: "string",
  ...httpOptionKinds,
  headersMs: "number",
  idleConnectionMs: "number",
  websocket: "object",
  workers: "number",
  inspector: { "": "boolean", port: "number" },
};

export interface HttpServerHandle {
  /** The endpoint. */
  readonly url: string;
  readonly port: number;
  /** The address of the inspector, if the option asked for it; it works once. */
  readonly inspectorUrl?: string;
  /** Starts no more calls, gives running ones time to finish, then closes everything. */
  close(drainMs?: number): Promise<void>;
}
