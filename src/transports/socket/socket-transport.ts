import { pipeTransport, type Transport } from "../../peer/transport.ts";
import type { SocketLimits } from "./open-socket.ts";
import type { SocketAddress } from "./socket-address.ts";

export type { SocketLimits };

/** Messages, one a line, over a unix or TCP socket. */
export function socketTransport(target: SocketAddress & SocketLimits): Transport {
  return pipeTransport("socket", async (signal) => {
    // Loaded when it is needed: servers share this entry, and start faster without it.
    const { openSocketPipe } = await import("./open-socket.ts");
    return openSocketPipe(target, signal);
  });
}
