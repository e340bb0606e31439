import { createServer, type Server, type Socket } from "node:net";
import type { Servable, Service } from "../contract/service.ts";
import { UsageError } from "../errors.ts";
import { isLoopback } from "../guard/host-check.ts";
import { ServerConnection } from "../peer/server-connection.ts";
import type { SocketAddress } from "../transports/socket/address.ts";
import { listenOnSocket } from "../transports/socket/listen.ts";
import { SocketPipe } from "../transports/socket/pipe.ts";

/** A client that is gone looks like one that only closed its side: its calls are not kept running for long. */
const lastAnswersMs = 500;

export type ServeSocketOptions = SocketAddress & SocketServerLimits;

export interface SocketServerLimits {
  /**
   * Needed to listen on any TCP address but loopback.
   *
   * There is no authentication and no encryption here: whoever reaches the port may call
   * everything and read along. Say so only inside a network that you trust as a whole.
   */
  readonly allowRemote?: boolean;
  /** Further connections are closed at once. Default 256. */
  readonly maxConnections?: number;
  /** Calls of one connection that run at once; further ones are refused. Default 1,000. */
  readonly maxCalls?: number | undefined;
  /** A longer message is refused, and the connection goes on. Default: 64 MiB. */
  readonly maxMessageBytes?: number;
  /** A client that takes nothing of what waits for it for so long is cut. Default 30,000. */
  readonly stallMs?: number;
  /** A client whose first message takes so long is cut. Default 30,000. */
  readonly silentMs?: number;
}

export interface SocketServerHandle {
  /** Where it listens; `socketTransport` takes it as it is. */
  readonly address: SocketAddress;
  /** Takes no more connections, lets calls under way finish for a while (5,000), then closes everything. */
  close(drainMs?: number): Promise<void>;
}

/**
 * Serves a server value over a unix socket, or over TCP on this machine.
 *
 * The file of a unix socket is for this user only; one that a dead server left is replaced.
 */
export async function serveSocket(
  server: Servable,
  options: ServeSocketOptions,
): Promise<SocketServerHandle> {
  assertMayListen(options);
  const service = server["~service"]();
  const conversations = new Set<ServerConnection>();
  const net = createServer(
    { allowHalfOpen: true, noDelay: true, keepAlive: true, keepAliveInitialDelay: 15_000 },
    (socket) => {
      const conversation = converse(service, socket, options);
      conversations.add(conversation);
      void conversation.closed.then(() => conversations.delete(conversation));
    },
  );
  net.maxConnections = options.maxConnections ?? 256;
  const address = await listenOnSocket(net, options);
  net.on("error", (error) => service.report("A connection could not be accepted", error));
  return { address, close: (drainMs) => closeAll(net, conversations, drainMs) };
}

function assertMayListen(options: ServeSocketOptions): void {
  if ("path" in options || options.allowRemote) return;
  const { host = "127.0.0.1" } = options;
  if (isLoopback(host)) return;
  throw new UsageError(
    `Listening on ${host} lets everybody who reaches this machine call this server, without authentication; listen on 127.0.0.1, use serveHttp, or set allowRemote if that is meant.`,
  );
}

function converse(service: Service, socket: Socket, options: ServeSocketOptions): ServerConnection {
  const { maxCalls, maxMessageBytes, stallMs, silentMs } = options;
  // Requests that came before the client closed its side, as from `echo ... | nc`, may still be answered.
  const beforeEnd = (): Promise<void> => conversation.drained(lastAnswersMs);
  const pipe = new SocketPipe(socket, { side: "server", maxMessageBytes, stallMs, silentMs, beforeEnd });
  const conversation = new ServerConnection(service, pipe, { maxCalls });
  return conversation;
}

async function closeAll(
  net: Server,
  conversations: Iterable<ServerConnection>,
  drainMs?: number,
): Promise<void> {
  const closed = new Promise<void>((resolve) => net.close(() => resolve()));
  await Promise.all([...conversations].map((conversation) => conversation.close(drainMs)));
  await closed;
}
