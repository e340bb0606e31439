import type { Revision } from "../protocol/revision.ts";
import type { Channel, Receiver, Tap } from "./channel.ts";

export interface OpenOptions {
  readonly receiver: Receiver;
  /** The revision that was agreed on, once it is. */
  readonly revision?: () => Revision | undefined;
  readonly tap?: Tap | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Stops the clock of opening while a user is waited for, until the returned function is called. */
  readonly hold?: (() => () => void) | undefined;
  /** The way of speaking that was found out the last time; only a hint. */
  readonly shape?: string | undefined;
}

/** A way to reach a server. Each `open` gives a fresh connection: a new process, a new socket. */
export interface Transport {
  readonly kind: string;
  /** Where the same server will be found the next time, if that can be said. */
  readonly address?: string;
  open(options: OpenOptions): Promise<Channel>;
}
