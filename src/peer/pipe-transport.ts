import type { Pipe } from "../contract/pipe.ts";
import type { Transport } from "../contract/transport.ts";

/** Makes a transport of a function that opens a pipe. */
export function pipeTransport(
  kind: string,
  openPipe: (signal?: AbortSignal) => Promise<Pipe> | Pipe,
): Transport {
  return {
    kind,
    async open({ receiver, revision, tap, wrapPipe, signal }) {
      // Loaded with the first pipe: transports are values, and most of them are never opened.
      const { openClientPeer } = await import("./client-peer.ts");
      return openClientPeer(await openPipe(signal), { receiver, revision, tap, wrapPipe });
    },
  };
}
