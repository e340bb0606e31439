import type { Pipe } from "../contract/pipe.ts";
import { OutgoingRequests } from "./outgoing-requests.ts";
import { Peer, type PeerOptions } from "./peer.ts";
import { RequestBudget } from "./request-budget.ts";
import { readUnparsedResponse } from "./unparsed-message.ts";

export interface ClientPeerOptions extends Omit<PeerOptions, "client"> {
  /** Puts something around the pipe. */
  readonly wrapPipe?: ((pipe: Pipe) => Pipe) | undefined;
}

/** The client's side of a connection over a pipe. */
export function createClientPeer(given: Pipe, { wrapPipe, ...options }: ClientPeerOptions): Peer {
  const pipe = wrapPipe?.(given) ?? given;
  const outgoing = new OutgoingRequests(pipe.settled && ((id, by) => pipe.settled?.(id, by)));
  const client = { outgoing, budget: new RequestBudget(options.receiver), readUnparsedResponse };
  return new Peer(pipe, { ...options, client });
}

/** Creates such a peer and begins reading. */
export function openClientPeer(pipe: Pipe, options: ClientPeerOptions): Peer {
  const peer = createClientPeer(pipe, options);
  peer.start();
  return peer;
}
