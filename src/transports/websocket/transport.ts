import { assertOptions, type OptionKinds } from "../../contract/options.ts";
import type { Transport } from "../../contract/transport.ts";
import { UsageError } from "../../errors.ts";
import { pipeTransport } from "../../peer/pipe-transport.ts";
import type { WebSocketOptions } from "./connect.ts";

export type { WebSocketOptions };

const websocketOptionKinds: OptionKinds<WebSocketOptions> = {
  WebSocket: "function",
  headers: "object|function",
  protocols: "strings",
  maxMessageBytes: "number",
  connectMs: "number",
  keepAliveMs: "number",
};

/** A transport over a WebSocket; each message is one text frame. */
export function websocketTransport(url: string | URL, options: WebSocketOptions = {}): Transport {
  assertOptions("websocketTransport", options, websocketOptionKinds);
  if (!URL.canParse(url) || !/^wss?:$/.test(new URL(url).protocol))
    throw new UsageError(`${JSON.stringify(String(url))} is not a ws or wss URL.`);
  return pipeTransport("websocket", async (signal) => {
    // Loaded on demand: most clients do without.
    const { openWebSocketPipe } = await import("./connect.ts");
    return openWebSocketPipe(String(url), options, signal);
  });
}
