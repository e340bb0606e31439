import type { Transport } from "../../contract/transport.ts";
import { pipeTransport } from "../../peer/pipe-transport.ts";
import type { SocketAddress } from "./address.ts";
import type { SocketLimits } from "./connect.ts";

export type { SocketLimits };

/** Messages, one a line, over a unix or TCP socket. */
export function socketTransport(target: SocketAddress & SocketLimits): Transport {
  return pipeTransport("socket", async (signal) => {
    // Loaded when it is needed: servers share this entry, and start faster without it.
    const { openSocketPipe } = await import("./connect.ts");
    return openSocketPipe(target, signal);
  });
}
