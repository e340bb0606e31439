import type { EventStore } from "../../../../state/state.ts";
import { type EventStream, NonResumableStream } from "../events/event-stream.ts";
import { ResumableStream } from "../events/resumable-stream.ts";

/** The place where the streams of a session are stored. */
export interface StreamStorage {
  /** The id of the session. */
  readonly session: string;
  readonly store: EventStore;
  /** The time that a client has to come back to a broken stream. */
  readonly resumeMs: number;
}

/** Finished streams that can still be resumed, at most. */
const maxFinished = 100;
const standaloneId = "main";

/** The event streams of one session: one for each answer that needs one, and the standalone stream beside them. */
export class SessionStreams {
  readonly #storage: StreamStorage | undefined;
  readonly #streams = new Map<string, ResumableStream>();
  readonly #finished: ResumableStream[] = [];
  #standalone: ResumableStream | undefined;
  #nextId = 1;

  /** Without storage no stream can be resumed. */
  constructor(storage: StreamStorage | undefined) {
    this.#storage = storage;
  }

  /** Whether the standalone stream is being read. */
  get hasStandaloneReader(): boolean {
    return this.#standalone?.connected === true;
  }

  /** The stream for messages that belong to no request; undefined without storage. */
  get standalone(): ResumableStream | undefined {
    this.#standalone ??= this.#openResumable(standaloneId);
    return this.#standalone;
  }

  /** Opens a stream for one answer; `onExpired` is called when the client did not come back to it. */
  open(onExpired: () => void): EventStream {
    return this.#openResumable(`r${this.#nextId++}`, onExpired) ?? new NonResumableStream();
  }

  find(id: string): ResumableStream | undefined {
    return id === standaloneId ? this.standalone : this.#streams.get(id);
  }

  /** Marks a stream as finished; the client may come back to the last of them. */
  retire(stream: EventStream): void {
    if (!(stream instanceof ResumableStream)) return;
    this.#finished.push(stream);
    const oldest = this.#finished.length > maxFinished ? this.#finished.shift() : undefined;
    if (oldest) void this.#remove(oldest);
  }

  /** Closes all connections. Stored events stay. */
  detach(): void {
    for (const stream of this.#streams.values()) stream.detach();
  }

  /** Closes all connections and removes the stored events. */
  async close(): Promise<void> {
    await Promise.all([...this.#streams.values()].map((stream) => stream.close()));
  }

  #openResumable(id: string, onExpired?: () => void): ResumableStream | undefined {
    if (this.#storage === undefined) return undefined;
    const { session, store, resumeMs } = this.#storage;
    const expiry = onExpired && {
      afterMs: resumeMs,
      onExpired: () => {
        onExpired();
        void this.#remove(stream);
      },
    };
    const stream = new ResumableStream({ session, id, store }, expiry);
    this.#streams.set(id, stream);
    return stream;
  }

  async #remove(stream: ResumableStream): Promise<void> {
    this.#streams.delete(stream.id);
    const at = this.#finished.indexOf(stream);
    if (at >= 0) this.#finished.splice(at, 1);
    await stream.close();
  }
}
