import { assertOptions, type OptionKinds } from "../../contract/options.ts";
import type { Transport } from "../../contract/transport.ts";
import { pipeTransport } from "../../peer/pipe-transport.ts";
import { assertAddress, type SocketAddress, socketAddressKinds } from "./address.ts";
import type { SocketLimits } from "./connect.ts";

export type { SocketLimits };

const socketLimitKinds: OptionKinds<SocketLimits> = { maxMessageBytes: "number", connectMs: "number" };

/** A transport over a unix or TCP socket; each message is one line. */
export function socketTransport(target: SocketAddress & SocketLimits): Transport {
  assertOptions("socketTransport", target, { ...socketAddressKinds, ...socketLimitKinds });
  assertAddress("socketTransport", target);
  return pipeTransport("socket", async (signal) => {
    // Loaded on demand: servers share this entry, and start faster without it.
    const { openSocketPipe } = await import("./connect.ts");
    return openSocketPipe(target, signal);
  });
}
