import { createServer, type Server, type Socket } from "node:net";
import type { Session } from "../../contract/call.ts";
import { withoutMapping } from "../../contract/caller/client-address.ts";
import { assertOptions, type OptionKinds } from "../../contract/options.ts";
import { type PingOptions, pingOptionKinds } from "../../contract/ping.ts";
import { type Servable, type Service, serviceOf } from "../../contract/service.ts";
import { UsageError } from "../../errors.ts";
import { CallLimits } from "../../guard/call-limits.ts";
import { type LimitOptions, limitOptionKinds } from "../../guard/limit-options.ts";
import { limitService } from "../../guard/limited-service.ts";
import { sessionSize } from "../../guard/session-size.ts";
import { toAddressKey } from "../../lib/bounded/address-key.ts";
import { FairBudget } from "../../lib/bounded/fair-budget.ts";
import { type UnreadBudget, UnreadShare } from "../../lib/bounded/unread-share.ts";
import { isCanonicalLoopbackHost } from "../../lib/loopback.ts";
import { ServerConnection } from "../../peer/server-connection.ts";
import {
  assertAddress,
  type SocketAddress,
  showAddress,
  socketAddressKinds,
} from "../../transports/socket/address.ts";
import { listenOnSocket } from "../../transports/socket/listen.ts";
import { toListenError } from "../../transports/socket/listen-error.ts";
import { SocketPipe } from "../../transports/socket/pipe.ts";

/** Time for calls to finish after the end of input: a client that is gone looks like one that closed its side only. */
const lastCallsMs = 500;
const defaultUnfinishedBytes = 128 * 1024 * 1024;

export type ServeSocketOptions = SocketAddress & SocketServerLimits;

export interface SocketServerLimits {
  /**
   * Allows a TCP address other than loopback.
   *
   * There is no authentication and no encryption here: everyone who reaches the port may call
   * every tool and read the traffic. Set it only inside a network that you trust as a whole.
   */
  readonly allowRemote?: boolean;
  /**
   * The limit of connections. A further one is closed at once, unless it comes from an address that has
   * fewer than another, which then loses its oldest. Default 256.
   */
  readonly maxConnections?: number;
  /** Calls of one connection that run at once; further ones wait for their turn. Default 1,000. */
  readonly maxCalls?: number | undefined;
  /** The limit of a message; a longer one is refused, and the connection goes on. Default: 64 MiB. */
  readonly maxMessageBytes?: number;
  /**
   * Bytes of messages that have begun to arrive, and of sessions, over all connections. Beyond it the
   * address with the most is cut, or the connection, where clients are on this machine. Messages that wait for their
   * readers have twice the room, by the same rule. Default 128 MiB.
   */
  readonly maxUnfinishedBytes?: number;
  /** A client whose message takes longer than this to arrive is cut. Default 30,000. */
  readonly messageMs?: number;
  /** A client that reads nothing for this long, while messages wait for it, is cut. Default 30,000. */
  readonly stallMs?: number;
  /** A client that sends no message for this long after it connected is cut. Default 30,000. */
  readonly silentMs?: number;
  /**
   * Limits of calls, as over HTTP. Default: none for clients on this machine, and those of HTTP with `allowRemote`.
   */
  readonly limits?: LimitOptions | false;
  /** Sends pings to each client at an interval, in revisions that have them. Default: none. */
  readonly ping?: PingOptions | undefined;
}

const socketOptionKinds: OptionKinds<SocketServerLimits> = {
  allowRemote: "boolean",
  maxConnections: "number",
  maxCalls: "number",
  maxMessageBytes: "number",
  maxUnfinishedBytes: "number",
  messageMs: "number",
  stallMs: "number",
  silentMs: "number",
  limits: { "": "false", ...limitOptionKinds },
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
  const { limits = options.allowRemote === true && {} } = options;
  const limited = limits ? withLimits(service, limits) : service;
  const connections = new Set<ServerConnection>();
  const count = options.maxConnections ?? 256;
  const bytes = options.maxUnfinishedBytes ?? Math.max(defaultUnfinishedBytes, options.maxMessageBytes ?? 0);
  const budget = new FairBudget<Socket>({ count, bytes, evict: (socket) => void socket.destroy() });
  const unread: UnreadBudget = new FairBudget({
    count,
    bytes: 2 * bytes,
    evict: (output) => output.giveUp(),
  });
  const net = createServer(
    { allowHalfOpen: true, noDelay: true, keepAlive: true, keepAliveInitialDelay: 15_000 },
    (socket) => {
      const holder = toSocketHolder(socket);
      if (!budget.add(socket, holder, 0)) return void socket.destroy();
      socket.once("close", () => budget.remove(socket));
      const output = new UnreadShare(unread, holder, () => void socket.destroy());
      const connection = connect(limited, socket, { ...options, budget, output });
      connections.add(connection);
      void connection.closed.then(() => connections.delete(connection));
    },
  );
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

function withLimits(service: Service, limits: LimitOptions): Service {
  const { name } = service;
  const report = (message: string, cause: unknown) => service.report(message, cause);
  return limitService(service, new CallLimits(limits, { name, report }));
}

type ConnectOptions = ServeSocketOptions & {
  readonly budget: FairBudget<Socket>;
  readonly output: UnreadShare;
};

function connect(service: Service, socket: Socket, options: ConnectOptions): ServerConnection {
  const { maxCalls, ping, budget } = options;
  const held = { line: 0, session: 0 };
  const hold = (bytes: Partial<typeof held>): boolean => {
    Object.assign(held, bytes);
    return budget.resize(socket, held.line + held.session);
  };
  const pipe = new SocketPipe(socket, {
    ...options,
    side: "server",
    hold: (line) => hold({ line }),
    // Requests that came before the client closed its side, as from `echo ... | nc`, may still be answered.
    onInputEnd: (): Promise<void> => connection.drained(lastCallsMs),
  });
  const onSessionChanged = (session: Session): void => {
    if (!hold({ session: sessionSize(session) })) socket.destroy();
  };
  const connection: ServerConnection = new ServerConnection(service, pipe, {
    address: withoutMapping(socket.remoteAddress),
    maxCalls,
    ping,
    onSessionChanged,
  });
  return connection;
}

let lastHolder = 0;

/** The holder of a connection: its address, or the connection itself where all clients have the same. */
function toSocketHolder({ remoteAddress }: Socket): string {
  const address = withoutMapping(remoteAddress);
  if (address === undefined || isCanonicalLoopbackHost(address)) return `connection ${++lastHolder}`;
  return toAddressKey(address);
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
