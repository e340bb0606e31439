import { startBackgroundTimer } from "../../../../lib/timers.ts";
import { type EventSink, maxBufferedBytes } from "../http-interface.ts";
import { keepAliveComment } from "./sse-encode.ts";

/** A connection that gives a sign of life when it is told to. */
export interface HeartbeatTarget {
  beat(): void;
}

/** Signs of life for all open connections, by one timer. */
export class Heartbeat {
  readonly #connections = new Set<HeartbeatTarget>();
  readonly #everyMs: number;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(everyMs: number) {
    this.#everyMs = everyMs;
  }

  add(connection: HeartbeatTarget): void {
    this.#connections.add(connection);
    this.#timer ??= startBackgroundTimer(() => this.#beat(), this.#everyMs);
  }

  remove(connection: HeartbeatTarget): void {
    this.#connections.delete(connection);
    if (this.#connections.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #beat(): void {
    for (const connection of this.#connections) connection.beat();
  }
}

/** One open response that carries events. */
export class EventConnection {
  readonly #sink: EventSink;
  readonly #heartbeat: Heartbeat;
  #spoke = false;
  #closed = false;

  constructor(sink: EventSink, heartbeat: Heartbeat) {
    this.#sink = sink;
    this.#heartbeat = heartbeat;
    heartbeat.add(this);
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Whether more is unread than may be, because the writer does not wait. */
  get isFull(): boolean {
    return this.#sink.bufferedBytes > maxBufferedBytes;
  }

  write(text: string): void | Promise<void> {
    if (this.#closed) return undefined;
    this.#spoke = true;
    return this.#sink.write(text);
  }

  end(): void {
    if (this.#close()) this.#sink.end();
  }

  /** The reader is gone. */
  drop(): void {
    this.#close();
  }

  beat(): void {
    // What waits for a slow reader is sign enough.
    if (!this.#spoke && this.#sink.bufferedBytes === 0) void this.#sink.write(keepAliveComment);
    this.#spoke = false;
  }

  #close(): boolean {
    if (this.#closed) return false;
    this.#closed = true;
    this.#heartbeat.remove(this);
    return true;
  }
}
