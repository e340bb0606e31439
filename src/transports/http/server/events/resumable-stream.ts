import { runLater } from "../../../../lib/async/timers.ts";
import { TurnYielder } from "../../../../lib/async/yield-turn.ts";
import type { EventStore, StoredEvent } from "../../../../state/state.ts";
import { maxBufferedBytes } from "../http-interface.ts";
import type { EventConnection } from "./event-connection.ts";
import { EventFeed, type StoredEventSource } from "./event-feed.ts";
import { toEventId } from "./event-id.ts";
import type { EventStream } from "./event-stream.ts";
import { encodeEvent, encodePrimingEvent, encodeRetry } from "./sse-encode.ts";

export interface StoredStream {
  /** The id of the session. */
  readonly session: string;
  readonly id: string;
  readonly store: EventStore;
}

/** The end of a stream that has no reader. */
export interface StreamExpiry {
  readonly afterMs: number;
  readonly onExpired: () => void;
}

/** A stream of events that outlives its connections: each picks up where the last one broke. */
export class ResumableStream implements EventStream, StoredEventSource {
  readonly isResumable = true;
  readonly id: string;
  readonly #session: string;
  readonly #key: string;
  readonly #store: EventStore;
  readonly #expiry: StreamExpiry | undefined;
  readonly #yielder = new TurnYielder();
  #feed: EventFeed | undefined;
  #last = 0;
  #waiting = 0;
  #finished = false;
  #expiryTimer: ReturnType<typeof setTimeout> | undefined;

  constructor({ session, id, store }: StoredStream, expiry?: StreamExpiry) {
    this.id = id;
    this.#session = session;
    this.#key = `${session}/${id}`;
    this.#store = store;
    this.#expiry = expiry;
  }

  get connected(): boolean {
    return this.#feed !== undefined && !this.#feed.connection.closed;
  }

  get isFull(): boolean {
    return this.#waiting > maxBufferedBytes;
  }

  get finished(): boolean {
    return this.#finished;
  }

  /** The number of the last event that was sent. */
  get delivered(): number {
    return this.#feed?.sent ?? 0;
  }

  async send(text: string): Promise<void> {
    this.#waiting += text.length;
    try {
      const sequence = await this.#store.append(this.#key, text);
      await (this.connected ? this.#feed?.offer({ sequence, text }) : this.#yielder.afterCall());
    } finally {
      this.#waiting -= text.length;
    }
  }

  async finish(text: string | undefined): Promise<void> {
    const sequence = text === undefined ? this.delivered : await this.#store.append(this.#key, text);
    this.#finished = true;
    this.#last = sequence;
    if (text !== undefined) await this.#feed?.offer({ sequence, text });
    this.#endIfDone();
    if (!this.connected) this.#expireLater();
  }

  /** Whether no event comes after this one. */
  isOver(sequence: number): boolean {
    return this.#finished && sequence >= this.#last;
  }

  /** Whether the stream has got to this event; 0 stands for its beginning. */
  async has(sequence: number): Promise<boolean> {
    return (await this.after(sequence)) !== undefined;
  }

  start(connection: EventConnection, retryMs?: number): void {
    this.#open(connection, 0, retryMs);
  }

  /** Sends what comes after `sequence` over a new connection, and all that follows. */
  async attach(connection: EventConnection, sequence: number, retryMs?: number): Promise<void> {
    this.#feed?.connection.end();
    const feed = this.#open(connection, sequence, retryMs);
    await feed.flush();
    this.#endIfDone();
  }

  disconnect(retryMs: number): void {
    if (this.#feed === undefined || !this.connected) return;
    void this.#feed.connection.write(encodeRetry(retryMs));
    this.#feed.connection.end();
    this.#expireLater();
  }

  onDisconnected(connection: EventConnection): void {
    connection.drop();
    if (this.#feed?.connection === connection) this.#expireLater();
  }

  /** Closes the connection. Stored events stay. */
  detach(): void {
    this.#finished = true;
    clearTimeout(this.#expiryTimer);
    this.#feed?.connection.end();
  }

  async close(): Promise<void> {
    this.detach();
    await this.#store.remove(this.#key);
  }

  after(sequence: number): ReturnType<EventStore["after"]> {
    return this.#store.after(this.#key, sequence);
  }

  toText({ sequence, text }: StoredEvent): string {
    return encodeEvent(text, this.#eventId(sequence));
  }

  #open(connection: EventConnection, sequence: number, retryMs: number | undefined): EventFeed {
    clearTimeout(this.#expiryTimer);
    this.#feed = new EventFeed(connection, this, sequence);
    if (retryMs !== undefined) void connection.write(encodePrimingEvent(this.#eventId(sequence), retryMs));
    return this.#feed;
  }

  #endIfDone(): void {
    if (!this.#finished || this.#feed === undefined || this.#feed.sent < this.#last) return;
    this.#feed.connection.end();
    this.#expireLater();
  }

  /** Gives the client a while to come back before the stream expires. */
  #expireLater(): void {
    if (this.#expiry === undefined) return;
    clearTimeout(this.#expiryTimer);
    this.#expiryTimer = runLater(this.#expiry.onExpired, this.#expiry.afterMs);
  }

  #eventId(sequence: number): string {
    return toEventId({ session: this.#session, stream: this.id, sequence });
  }
}
