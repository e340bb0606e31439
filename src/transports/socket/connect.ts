import { connect as connectSocket, type NetConnectOpts, type Socket } from "node:net";
import { toCancelled } from "../../contract/cancelled-error.ts";
import { ConnectionClosedError } from "../../errors.ts";
import { type SocketAddress, showAddress } from "./address.ts";
import { SocketPipe } from "./pipe.ts";

export interface SocketLimits {
  /** The limit of a message; a longer one fails the request it answers, and the connection goes on. Default: 64 MiB. */
  readonly maxMessageBytes?: number;
  /** Time limit for connecting, in milliseconds. Default 10,000. */
  readonly connectMs?: number;
}

export async function openSocketPipe(
  target: SocketAddress & SocketLimits,
  signal: AbortSignal | undefined,
): Promise<SocketPipe> {
  const { maxMessageBytes, connectMs = 10_000 } = target;
  const socket = await open(target, connectMs, signal);
  return new SocketPipe(socket, { side: "client", maxMessageBytes });
}

function open(address: SocketAddress, connectMs: number, signal?: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connectSocket(toConnectOptions(address));
    const fail = (error: Error): void => {
      settle();
      socket.destroy();
      reject(error);
    };
    const onAbort = (): void => {
      fail(toCancelled("Connecting", signal?.reason));
    };
    const onError = (cause: Error): void => {
      const what = `Could not connect to ${showAddress(address)}: ${cause.message}`;
      fail(new ConnectionClosedError(what, { cause }));
    };
    const timer = setTimeout(() => onError(new Error(`no answer came within ${connectMs} ms.`)), connectMs);
    const settle = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
      socket.off("error", onError);
      // A late error must not end the process; the pipe has a listener of its own.
      socket.on("error", () => {});
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    socket.once("error", onError);
    socket.once("connect", () => {
      settle();
      resolve(socket);
    });
    if (signal?.aborted) onAbort();
  });
}

function toConnectOptions(address: SocketAddress): NetConnectOpts {
  if ("path" in address) return { path: address.path };
  const { port, host = "127.0.0.1" } = address;
  return { port, host, noDelay: true, keepAlive: true, keepAliveInitialDelay: 15_000 };
}
