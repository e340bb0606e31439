import { toCancelled } from "../../contract/cancelled-error.ts";
import type { HeaderRecord } from "../../contract/channel.ts";
import type { Pipe } from "../../contract/pipe.ts";
import { ConnectionClosedError, UsageError } from "../../errors.ts";
import { Heartbeat } from "../../lib/async/heartbeat.ts";
import { defaultMaxMessageBytes } from "../../protocol/parse.ts";
import { WebSocketPipe } from "./pipe.ts";
import type { WebSocketConstructor, WebSocketLike } from "./websocket-like.ts";

export interface WebSocketOptions {
  /**
   * The class to use: the platform's own, or that of the package `ws`, which Node needs
   * before version 22. Default: the platform's.
   */
  readonly WebSocket?: WebSocketConstructor;
  /**
   * Headers of the opening request; a function is called for each. Only `ws` can send them,
   * so its class must be given as `WebSocket`.
   */
  readonly headers?: HeaderRecord | (() => HeaderRecord | Promise<HeaderRecord>);
  /** Default `["mcp"]`. */
  readonly protocols?: readonly string[];
  /** The limit of a message; a longer one ends the connection. Default: 64 MiB. */
  readonly maxMessageBytes?: number;
  /** Time limit for connecting, in milliseconds. Default 10,000. */
  readonly connectMs?: number;
  /** The interval of pings, where the socket can send them (`ws`). Default 15,000. */
  readonly keepAliveMs?: number;
}

const stallMs = 30_000;

/** Connects to a server and opens the pipe to it. */
export async function openWebSocketPipe(
  url: string,
  options: WebSocketOptions,
  signal?: AbortSignal,
): Promise<Pipe> {
  const { maxMessageBytes = defaultMaxMessageBytes, connectMs = 10_000, keepAliveMs = 15_000 } = options;
  if (signal?.aborted) throw toCancelled("Connecting", signal.reason);
  const socket = await createSocket(url, { ...options, maxMessageBytes });
  const heartbeat = new Heartbeat(keepAliveMs);
  const pipe = new WebSocketPipe(socket, { side: "client", maxMessageBytes, stallMs, heartbeat });
  try {
    await untilOpen(socket, connectMs, signal);
  } catch (error) {
    void pipe.close();
    if (signal?.aborted) throw toCancelled("Connecting", signal.reason);
    const { message } = error as Error;
    throw new ConnectionClosedError(`Could not connect to ${url}: ${message}`, { cause: error });
  }
  return pipe;
}

async function createSocket(url: string, options: WebSocketOptions): Promise<WebSocketLike> {
  const { WebSocket: Given, headers, protocols = ["mcp"], maxMessageBytes: maxPayload } = options;
  if (Given) {
    const sent = typeof headers === "function" ? await headers() : headers;
    return new Given(url, [...protocols], { headers: { ...sent }, ...(maxPayload && { maxPayload }) });
  }
  if (headers) {
    throw new UsageError("The platform's WebSocket sends no headers; pass { WebSocket } of the package ws.");
  }
  const { WebSocket } = globalThis as { WebSocket?: WebSocketConstructor };
  if (WebSocket === undefined) {
    throw new UsageError(
      `There is no WebSocket on this platform, so ${url} can't be reached; pass websocketTransport(url, { WebSocket }) with the class of the package ws.`,
    );
  }
  return new WebSocket(url, [...protocols]);
}

function untilOpen(socket: WebSocketLike, connectMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => fail(new Error(`no answer came within ${connectMs} ms.`)), connectMs);
    const onAbort = (): void => fail(new Error("cancelled"));
    const settle = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    };
    const fail = (error: Error): void => {
      settle();
      reject(error);
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    socket.addEventListener("open", () => {
      settle();
      resolve();
    });
    socket.addEventListener("error", (event) => {
      const message = "message" in event ? String(event.message) : "";
      fail(new Error(message || "the connection was refused."));
    });
    socket.addEventListener("close", ({ code }) => fail(new Error(`it was closed (${code}).`)));
  });
}
