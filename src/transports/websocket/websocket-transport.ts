import { pipeTransport, type Transport } from "../../peer/transport.ts";
import type { WebSocketOptions } from "./open-websocket.ts";

export type { WebSocketOptions };

/** Messages, each a text frame, over a WebSocket. */
export function websocketTransport(url: string | URL, options: WebSocketOptions = {}): Transport {
  return pipeTransport("websocket", async (signal) => {
    // Loaded when it is needed: most clients do without.
    const { openWebSocketPipe } = await import("./open-websocket.ts");
    return openWebSocketPipe(String(url), options, signal);
  });
}
