import type { Transport } from "../../contract/transport.ts";
import { pipeTransport } from "../../peer/pipe-transport.ts";
import type { WebSocketOptions } from "./connect.ts";

export type { WebSocketOptions };

/** A transport over a WebSocket; each message is one text frame. */
export function websocketTransport(url: string | URL, options: WebSocketOptions = {}): Transport {
  return pipeTransport("websocket", async (signal) => {
    // Loaded on demand: most clients do without.
    const { openWebSocketPipe } = await import("./connect.ts");
    return openWebSocketPipe(String(url), options, signal);
  });
}
