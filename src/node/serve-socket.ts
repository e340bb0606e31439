import { createServer, type Server, type Socket } from "node:net";
import { assertOptions, type OptionKinds } from "../contract/options.ts";
import { type PingOptions, pingOptionKinds } from "../contract/ping.ts";
import { type Servable, type Service, serviceOf } from "../contract/service.ts";
import { UsageError } from "../errors.ts";
import { isCanonicalLoopbackHost } from "../lib/loopback.ts";
import { ServerConnection } from "../peer/server-connection.ts";
import {
  assertAddress,
  type SocketAddress,
  showAddress,
  socketAddressKinds,
} from "../transports/socket/address.ts";
import { listenOnSocket } from "../transports/socket/listen.ts";
import { SocketPipe } from "../transports/socket/pipe.ts";
import { toListenError } from "./listen-error.ts";

/** Time for calls to finish after the end of input: a client that is gone looks like one that closed its side only. */
const lastCallsMs = 500;

export type ServeSocketOptions = SocketAddress & SocketServerLimits;

export interface SocketServerLimits {
  /**
   * Allows a TCP address other than loopback.
   *
   * There is no authentication and no encryption here: everyone who reaches the port may call
   * every tool and read the traffic. Set it only inside a network that you trust as a whole.
   */
  readonly allowRemote?: boolean;
  /** The limit of connections; further ones are closed at once. Default 256. */
  readonly maxConnections?: number;
  /** Calls of one connection that run at once; further ones are refused. Default 1,000. */
  readonly maxCalls?: number | undefined;
  /** The limit of a message; a longer one is refused, and the connection goes on. Default: 64 MiB. */
  readonly maxMessageBytes?: number;
  /** A client that reads nothing for this long, while messages wait for it, is cut. Default 30,000. */
  readonly stallMs?: number;
  /** A client that sends no message for this long after it connected is cut. Default 30,000. */
  readonly silentMs?: number;
  /** Sends pings to each client at an interval, in revisions that have them. Default: none. */
  readonly ping?: PingOptions | undefined;
}

const socketOptionKinds: OptionKinds<SocketServerLimits> = {
  allowRemote: "boolean",
  maxConnections: "number",
  maxCalls: "number",
  maxMessageBytes: "number",
  stallMs: "number",
  silentMs: "number",
  ping: pingOptionKinds,
};

export interface SocketServerHandle {
  /** The address it listens on; `socketTransport` accepts it as it is. */
  readonly address: SocketAddress;
  /** Accepts no more connections, gives running calls time to finish (default 5,000 ms), then closes everything. */
  close(drainMs?: number): Promise<void>;
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
  assertOptions("serveSocket", options, { ...socketAddressKinds, ...socketOptionKinds });
  assertAddress("serveSocket", options);
  assertMayListen(options);
  const service = serviceOf("serveSocket", server);
  await service.ready;
  const connections = new Set<ServerConnection>();
  const net = createServer(
    { allowHalfOpen: true, noDelay: true, keepAlive: true, keepAliveInitialDelay: 15_000 },
    (socket) => {
      const connection = connect(service, socket, options);
      connections.add(connection);
      void connection.closed.then(() => connections.delete(connection));
    },
  );
  net.maxConnections = options.maxConnections ?? 256;
  const address = await listenOnSocket(net, options).catch((error: unknown) => {
    throw toListenError(error, showAddress(options));
  });
  net.on("error", (error) => service.report("A connection could not be accepted", error));
  return { address, close: (drainMs) => closeAll(net, connections, drainMs) };
}

function assertMayListen(options: ServeSocketOptions): void {
  if ("path" in options || options.allowRemote) return;
  const { host = "127.0.0.1" } = options;
  if (isCanonicalLoopbackHost(host)) return;
  throw new UsageError(
    `Listening on ${host} lets everyone who reaches this machine call this server, without authentication; listen on 127.0.0.1, use serveHttp, or set allowRemote if that is intended.`,
  );
}

function connect(service: Service, socket: Socket, options: ServeSocketOptions): ServerConnection {
  const { maxCalls, maxMessageBytes, stallMs, silentMs, ping } = options;
  // Requests that came before the client closed its side, as from `echo ... | nc`, may still be answered.
  const onInputEnd = (): Promise<void> => connection.drained(lastCallsMs);
  const pipe = new SocketPipe(socket, { side: "server", maxMessageBytes, stallMs, silentMs, onInputEnd });
  const connection = new ServerConnection(service, pipe, { maxCalls, ping });
  return connection;
}

async function closeAll(
  net: Server,
  connections: Iterable<ServerConnection>,
  drainMs?: number,
): Promise<void> {
  const closed = new Promise<void>((resolve) => net.close(() => resolve()));
  await Promise.all([...connections].map((connection) => connection.close(drainMs)));
  await closed;
}
