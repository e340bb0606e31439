import type { Channel } from "../contract/channel.ts";
import type { Pipe } from "../contract/pipe.ts";
import { Peer, type PeerOptions } from "./peer.ts";

/** The channel of a client over a pipe that is open. */
export function openPeer(pipe: Pipe, options: Omit<PeerOptions, "side">): Channel {
  const peer = new Peer(pipe, { ...options, side: "client" });
  peer.start();
  return peer;
}
