import type { Channel, Receiver, Tap } from "./channel.ts";
import { type Framing, Peer } from "./peer.ts";
import type { Pipe } from "./pipe.ts";

export interface OpenOptions {
  readonly receiver: Receiver;
  readonly framing?: () => Framing | undefined;
  readonly tap?: Tap | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A way to reach a server. Each `open` gives a fresh connection: a new process, a new socket. */
export interface Transport {
  readonly kind: string;
  open(options: OpenOptions): Promise<Channel>;
}

/** A transport over anything that can be opened as a pipe. */
export function pipeTransport(
  kind: string,
  openPipe: (signal?: AbortSignal) => Promise<Pipe> | Pipe,
): Transport {
  return {
    kind,
    async open({ receiver, framing, tap, signal }) {
      const pipe = await openPipe(signal);
      const peer = new Peer(pipe, { receiver, side: "client", tap, ...(framing && { framing }) });
      peer.start();
      return peer;
    },
  };
}

/** A value that says itself how a client reaches it, as server values do. */
export interface Reachable {
  "~transport"(): Transport;
}

export function isReachable(value: unknown): value is Reachable {
  return typeof value === "object" && value !== null && "~transport" in value;
}
