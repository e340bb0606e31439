import type { Pipe } from "../contract/pipe.ts";
import type { Transport } from "../contract/transport.ts";
import { Peer } from "./peer.ts";

/** Makes a transport of a function that opens a pipe. */
export function pipeTransport(
  kind: string,
  openPipe: (signal?: AbortSignal) => Promise<Pipe> | Pipe,
): Transport {
  return {
    kind,
    async open({ receiver, revision, tap, wrapPipe, signal }) {
      const pipe = await openPipe(signal);
      const peer = new Peer(pipe, { receiver, side: "client", tap, wrapPipe, revision });
      peer.start();
      return peer;
    },
  };
}
