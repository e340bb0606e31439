import type { Heartbeat } from "../../../../lib/async/heartbeat.ts";
import { type EventSink, type HttpReply, maxBufferedBytes } from "../http-interface.ts";
import { encodeEvent, eventStreamHeaders, keepAliveComment } from "./sse-encode.ts";

/** One open response that carries events. */
export class EventConnection {
  readonly #sink: EventSink;
  readonly #heartbeat: Heartbeat;
  #wroteSinceBeat = false;
  #closed = false;
  #onClosed: (() => void) | undefined;

  constructor(sink: EventSink, heartbeat: Heartbeat) {
    this.#sink = sink;
    this.#heartbeat = heartbeat;
    heartbeat.add(this);
  }

  /** Begins an event stream as the answer to a request. */
  static open(reply: HttpReply, heartbeat: Heartbeat): EventConnection {
    return new EventConnection(reply.stream(eventStreamHeaders), heartbeat);
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** True when the reader is so far behind that the next write would cut it off; a writer that cannot wait checks this first. */
  get isFull(): boolean {
    return this.#sink.bufferedBytes > maxBufferedBytes;
  }

  /** Sends one event without an id. */
  send(data: string): void | Promise<void> {
    return this.write(encodeEvent(data));
  }

  /** Writes text that is encoded as events already; waits for a slow reader. */
  write(text: string): void | Promise<void> {
    if (this.#closed) return undefined;
    this.#wroteSinceBeat = true;
    return this.#sink.write(text);
  }

  end(): void {
    if (this.#close()) this.#sink.end();
  }

  /** Takes note that the reader is gone. */
  drop(): void {
    this.#close();
  }

  /** Calls the listener once the connection is closed, by either side; at once if it is. */
  onClosed(listener: () => void): void {
    if (this.#closed) listener();
    else this.#onClosed = listener;
  }

  beat(): void {
    // Data that waits for a slow reader keeps the connection alive, too.
    if (!this.#wroteSinceBeat && this.#sink.bufferedBytes === 0) void this.#sink.write(keepAliveComment);
    this.#wroteSinceBeat = false;
  }

  #close(): boolean {
    if (this.#closed) return false;
    this.#closed = true;
    this.#heartbeat.remove(this);
    this.#onClosed?.();
    return true;
  }
}
