import type { Transport } from "../../contract/transport.ts";
import { pipeTransport } from "../../peer/pipe-transport.ts";
import type { SocketAddress } from "./address.ts";
import type { SocketLimits } from "./connect.ts";

export type { SocketLimits };

/** A transport over a unix or TCP socket; each message is one line. */
export function socketTransport(target: SocketAddress & SocketLimits): Transport {
  return pipeTransport("socket", async (signal) => {
    // Loaded on demand: servers share this entry, and start faster without it.
    const { openSocketPipe } = await import("./connect.ts");
    return openSocketPipe(target, signal);
  });
}
