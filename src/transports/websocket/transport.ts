import type { Transport } from "../../contract/transport.ts";
import { pipeTransport } from "../../peer/pipe-transport.ts";
import type { WebSocketOptions } from "./connect.ts";

export type { WebSocketOptions };

/** Messages, each a text frame, over a WebSocket. */
export function websocketTransport(url: string | URL, options: WebSocketOptions = {}): Transport {
  return pipeTransport("websocket", async (signal) => {
    // Loaded when it is needed: most clients do without.
    const { openWebSocketPipe } = await import("./connect.ts");
    return openWebSocketPipe(String(url), options, signal);
  });
}
