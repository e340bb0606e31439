import type { ClusterNode } from "../../../../cluster/node.ts";
import { StoreUnavailableError } from "../../../../errors/overloaded-error.ts";
import { runLater } from "../../../../lib/async/timers.ts";
import { readStream } from "../../../../state/read-stream.ts";
import { type StreamClaim, storedMs } from "../events/resumable-stream.ts";
import { StreamReader } from "../events/stream-reader.ts";
import { aliveRecord, isEnd } from "../events/stream-record.ts";

export interface ClaimedStream {
  readonly key: string;
  /** The time that it waits for a store that is away. */
  readonly patienceMs: number;
  readonly onLost: () => void;
}

/** The pause between two tries of a store that is away. */
const pauseMs = 250;

/**
 * The claim of a node to a stream that it writes. A node that was taken for dead first reports that it is alive, then
 * writes that into the stream, and then reads it: a takeover is either there by then, or begun before the node was back
 * and void.
 */
export class NodeClaim implements StreamClaim {
  readonly onLost: () => void;
  readonly #node: ClusterNode;
  readonly #key: string;
  readonly #patienceMs: number;
  #confirmed: number;

  constructor(node: ClusterNode, { key, patienceMs, onLost }: ClaimedStream) {
    this.#node = node;
    this.#key = key;
    this.#patienceMs = patienceMs;
    this.onLost = onLost;
    this.#confirmed = node.liveness.returns;
  }

  get isDoubtful(): boolean {
    const { isDoubtful, returns } = this.#node.liveness;
    return isDoubtful || this.#confirmed !== returns;
  }

  async confirm(): Promise<boolean> {
    const until = performance.now() + this.#patienceMs;
    for (;;)
      try {
        while (this.isDoubtful) if (!(await this.#confirm())) return false;
        return true;
      } catch (error) {
        if (!(error instanceof StoreUnavailableError) || performance.now() > until) throw error;
        await new Promise<void>((resolve) => runLater(resolve, pauseMs));
      }
  }

  async #confirm(): Promise<boolean> {
    const { liveness, state } = this.#node;
    if (liveness.isDoubtful) await liveness.renew();
    const { returns } = liveness;
    await state.events.append(this.#key, [aliveRecord], storedMs);
    // It was too late if the node could be taken for dead again before that was stored.
    if (!liveness.isDoubtful) this.#confirmed = returns;
    const reader = new StreamReader();
    for await (const event of readStream(state.events, this.#key))
      if (isEnd(reader.read(event))) return !reader.isTakenOver;
    return true;
  }
}
