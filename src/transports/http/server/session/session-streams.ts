import type { ClusterNode } from "../../../../cluster/node.ts";
import type { MaybePromise } from "../../../../lib/async/maybe-promise.ts";
import type { EventStore } from "../../../../state/state.ts";
import type { EventConnection } from "../events/event-connection.ts";
import { type EventStream, NonResumableStream } from "../events/event-stream.ts";
import { ResumableStream, type StreamExpiry, toStreamKey } from "../events/resumable-stream.ts";
import type { StreamedRequest } from "../events/stream-record.ts";
import { NodeClaim } from "./node-claim.ts";
import { mayHaveReader } from "./stream-readers.ts";

/** The place where the streams of a session are stored. */
export interface StreamStorage {
  /** The id of the session. */
  readonly session: string;
  readonly store: EventStore;
  /** The time that a client has to come back to a broken stream. */
  readonly resumeMs: number;
  /** The node that writes the streams, where others may read them. */
  readonly node?: ClusterNode | undefined;
}

/** Finished streams that can still be resumed, at most. */
const maxFinished = 100;
/** Streams of other nodes that a session reads here, at most. */
const maxForeign = 16;
export const standaloneId = "main";

/** The event streams of one session: one for each answer that needs one, and the standalone stream beside them. */
export class SessionStreams {
  readonly #storage: StreamStorage | undefined;
  readonly #streams = new Map<string, ResumableStream>();
  readonly #finished: ResumableStream[] = [];
  /** The readers of streams that other nodes write, by the stream, oldest first. */
  readonly #foreign = new Map<string, EventConnection>();
  #standalone: ResumableStream | undefined;
  #nextId = 1;
  #isClosed = false;

  /** Without storage no stream can be resumed. */
  constructor(storage: StreamStorage | undefined) {
    this.#storage = storage;
  }

  /** True if the standalone stream is being read. */
  get hasStandaloneReader(): boolean {
    return this.#standalone?.connected === true;
  }

  /** The stream for messages that belong to no request; undefined without storage, and where they come from many nodes. */
  get standalone(): ResumableStream | undefined {
    if (this.#storage?.node) return undefined;
    this.#standalone ??= this.#openResumable(standaloneId);
    return this.#standalone;
  }

  /** Opens a stream for the answers to requests; `onExpired` is called when the client did not come back to it. */
  open(requests: readonly StreamedRequest[] | undefined, onExpired: () => void): EventStream {
    const id = this.#storage?.node?.nextId("_") ?? `r${this.#nextId++}`;
    return this.#openResumable(id, onExpired, requests) ?? new NonResumableStream();
  }

  find(id: string): ResumableStream | undefined {
    return id === standaloneId ? this.standalone : this.#streams.get(id);
  }

  /** Takes a reader of a stream that another node writes; one that read it before ends, and the oldest if there are too many. */
  takeForeign(id: string, connection: EventConnection): void {
    this.#foreign.get(id)?.end();
    this.#foreign.delete(id);
    for (const oldest of this.#foreign.values()) {
      if (this.#foreign.size < maxForeign) break;
      oldest.end();
    }
    this.#foreign.set(id, connection);
  }

  /** Forgets a reader that is gone. */
  endForeign(id: string, connection: EventConnection): void {
    if (this.#foreign.get(id) === connection) this.#foreign.delete(id);
  }

  /** Marks a stream as finished; the client may come back to the last of them. */
  retire(stream: EventStream): void {
    if (!(stream instanceof ResumableStream)) return;
    this.#finished.push(stream);
    const oldest = this.#finished.length > maxFinished ? this.#finished.shift() : undefined;
    if (oldest) void this.#remove(oldest);
  }

  /** Ends the calls that another node has answered, because it took this one for dead. */
  async confirm(): Promise<void> {
    await Promise.all([...this.#streams.values()].map((stream) => stream.confirm()));
  }

  /** Closes the connections to which the client can come back, at any node; those of answers where it knows how. */
  leave(retryMs: number, pollsStreams: boolean): void {
    this.#standalone?.disconnect(retryMs);
    if (!pollsStreams || this.#storage?.node === undefined) return;
    for (const stream of this.#streams.values()) if (!stream.finished) stream.disconnect(retryMs);
  }

  /** Closes all connections. Stored events stay. */
  detach(): void {
    for (const stream of this.#streams.values()) stream.detach();
    for (const connection of this.#foreign.values()) connection.end();
  }

  /** Closes all connections and, after something else, removes the stored events. */
  async close(first: MaybePromise<unknown>): Promise<void> {
    this.#isClosed = true;
    await first;
    await Promise.all([...this.#streams.values()].map((stream) => stream.close()));
  }

  #openResumable(
    id: string,
    onExpired?: () => void,
    requests?: readonly StreamedRequest[],
  ): ResumableStream | undefined {
    if (this.#storage === undefined || this.#isClosed) return undefined;
    const { session, store, resumeMs, node } = this.#storage;
    const key = toStreamKey(session, id);
    const expiry: StreamExpiry | undefined = onExpired && {
      afterMs: resumeMs,
      onExpired: () => {
        onExpired();
        void this.#remove(stream);
      },
      isReadElsewhere: node && (() => mayHaveReader(node, key)),
    };
    const onLost = () => {
      onExpired?.();
      this.#streams.delete(id);
    };
    const claim = node && new NodeClaim(node, { key, patienceMs: resumeMs, onLost });
    const stream = new ResumableStream({ session, id, store, requests, patienceMs: resumeMs }, expiry, claim);
    this.#streams.set(id, stream);
    return stream;
  }

  async #remove(stream: ResumableStream): Promise<void> {
    this.#streams.delete(stream.id);
    const at = this.#finished.indexOf(stream);
    if (at >= 0) this.#finished.splice(at, 1);
    try {
      await stream.close();
    } catch {
      // The store is away; what stays there expires.
    }
  }
}
