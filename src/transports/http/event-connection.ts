import { startBackgroundTimer } from "./background-timer.ts";
import type { EventSink } from "./exchange.ts";
import { keepAlive } from "./sse-write.ts";

/** A connection that gives a sign of life when it is told to. */
export interface Beating {
  beat(): void;
}

/** Signs of life for all open connections, by one timer. */
export class Heartbeat {
  readonly #connections = new Set<Beating>();
  readonly #everyMs: number;
  readonly stallMs: number;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(everyMs: number, stallMs: number) {
    this.#everyMs = everyMs;
    this.stallMs = stallMs;
  }

  add(connection: Beating): void {
    this.#connections.add(connection);
    this.#timer ??= startBackgroundTimer(() => this.#beat(), this.#everyMs);
  }

  remove(connection: Beating): void {
    this.#connections.delete(connection);
    if (this.#connections.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #beat(): void {
    for (const connection of this.#connections) connection.beat();
  }
}

/** One open response that carries events. A reader that takes nothing for too long is cut. */
export class EventConnection {
  readonly #sink: EventSink;
  readonly #heartbeat: Heartbeat;
  #stall: ReturnType<typeof setTimeout> | undefined;
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

  write(text: string): void | Promise<void> {
    if (this.#closed) return undefined;
    this.#spoke = true;
    const room = this.#sink.write(text);
    return room && this.#waitFor(room);
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
    if (!this.#spoke && this.#stall === undefined) void this.#sink.write(keepAlive);
    this.#spoke = false;
  }

  async #waitFor(room: Promise<void>): Promise<void> {
    this.#stall ??= setTimeout(() => {
      this.#close();
      this.#sink.cut();
    }, this.#heartbeat.stallMs);
    try {
      await room;
    } finally {
      clearTimeout(this.#stall);
      this.#stall = undefined;
    }
  }

  #close(): boolean {
    if (this.#closed) return false;
    this.#closed = true;
    clearTimeout(this.#stall);
    this.#heartbeat.remove(this);
    return true;
  }
}
