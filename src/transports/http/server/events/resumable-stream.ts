import { runLater } from "../../../../lib/async/timers.ts";
import { TurnYielder } from "../../../../lib/async/yield-turn.ts";
import { type EventStore, streamStart } from "../../../../state/state.ts";
import { maxBufferedBytes } from "../http-interface.ts";
import type { EventConnection } from "./event-connection.ts";
import { EventFeed, type StoredEventSource } from "./event-feed.ts";
import { toEventId } from "./event-id.ts";
import type { EventStream } from "./event-stream.ts";
import { encodeEvent, encodePrimingEvent, encodeRetry } from "./sse-encode.ts";
import type { StreamPosition } from "./stream-reader.ts";
import {
  encodeHeader,
  encodeLastMessage,
  encodeMessage,
  endRecord,
  type StreamedRequest,
  type StreamMessage,
} from "./stream-record.ts";
import { StreamWriter, type WrittenText } from "./stream-writer.ts";

/** The time after its last event that a stream is stored, unless it is removed before: longer than a call is silent. */
export const storedMs: number = 24 * 60 * 60_000;
/** The time that a finished stream is stored, unless it is removed before: longer than a slow client reads. */
export const storedFinishedMs: number = 60 * 60_000;

export interface StoredStream {
  /** The id of the session. */
  readonly session: string;
  readonly id: string;
  readonly store: EventStore;
  /** The requests that are answered on it, where other nodes may read it. */
  readonly requests?: readonly StreamedRequest[] | undefined;
  /** The time that events wait for a store that is away. */
  readonly patienceMs: number;
}

/** The claim of a node to a stream that it writes, which it may lose while it can't reach the store. */
export interface StreamClaim {
  /** True if the node may have been taken for dead since the claim was confirmed. */
  readonly isDoubtful: boolean;
  /** Finds out whether another node has answered in its place; false if so. */
  confirm(): Promise<boolean>;
  readonly onLost: () => void;
}

/** The end of a stream that has no reader. */
export interface StreamExpiry {
  readonly afterMs: number;
  readonly onExpired: () => void;
  /** True if the client has come back to another node; absent where there is none. */
  readonly isReadElsewhere?: (() => Promise<boolean>) | undefined;
}

/** A stream of events that outlives its connections: each picks up where the last one broke. */
export class ResumableStream implements EventStream, StoredEventSource {
  readonly isResumable = true;
  readonly id: string;
  readonly #session: string;
  readonly #key: string;
  readonly #store: EventStore;
  readonly #writer: StreamWriter;
  readonly #expiry: StreamExpiry | undefined;
  readonly #claim: StreamClaim | undefined;
  readonly #yielder = new TurnYielder();
  #feed: EventFeed | undefined;
  #waiting = 0;
  readonly #isShared: boolean;
  /** The storing of the event to resume from, until it was sent. */
  #beginning: Promise<void> | undefined;
  #finished = false;
  /** Another node has answered in place of this one. */
  #isLost = false;
  /** Its events are no longer wanted: what is written after that would stay in the store. */
  #isRemoved = false;
  #number = 0;
  #expiryTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    { session, id, store, requests, patienceMs }: StoredStream,
    expiry?: StreamExpiry,
    claim?: StreamClaim,
  ) {
    this.id = id;
    this.#session = session;
    this.#key = toStreamKey(session, id);
    this.#store = store;
    this.#isShared = requests !== undefined;
    const first = requests && encodeHeader(requests);
    this.#writer = new StreamWriter(store, { stream: this.#key, ttlMs: storedMs, patienceMs, first });
    this.#expiry = expiry;
    this.#claim = claim;
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

  /** The offset of the last event that was sent. */
  get delivered(): string {
    return this.#feed?.sent ?? streamStart;
  }

  async send(text: string): Promise<void> {
    if (this.#isLost || this.#isRemoved) return;
    this.#waiting += text.length;
    try {
      const record = encodeMessage(text, this.#nextNumber());
      const written = await this.#writer.write(record);
      if (this.#claim?.isDoubtful && !(await this.confirm())) return;
      await (this.connected ? this.#offer(written, record) : this.#yielder.afterCall());
    } finally {
      this.#waiting -= text.length;
    }
  }

  async finish(text: string | undefined): Promise<void> {
    if (this.#isLost || this.#isRemoved) return;
    const record = this.#toLastRecord(text);
    try {
      const written = await (record === undefined
        ? this.#writer.settle()
        : this.#writer.writeLast(record, storedFinishedMs));
      if (this.#claim?.isDoubtful && !(await this.confirm())) return;
      this.#finished = true;
      if (record !== undefined && written) await this.#offer(written, record);
      this.#endIfDone();
    } catch (error) {
      // The store was away for longer than the client would have waited.
      this.detach();
      throw error;
    } finally {
      if (!this.connected) this.#expireLater();
    }
  }

  /** True if this node still writes the stream. If another has answered in its place, its calls end. */
  async confirm(): Promise<boolean> {
    // Nobody else knows of a stream that was never stored.
    if (this.#claim === undefined || this.#finished || this.#writer.last === streamStart)
      return !this.#isLost;
    if (await this.#claim.confirm()) return true;
    if (this.#isLost) return false;
    this.#isLost = true;
    this.detach();
    this.#claim.onLost();
    return false;
  }

  /** True if no event comes after this one. */
  isOver(offset: string): boolean {
    return this.#finished && offset === this.#writer.last;
  }

  /** True if the stream has got to this event. */
  async has(offset: string): Promise<boolean> {
    if (this.#claim?.isDoubtful && !(await this.confirm())) return false;
    return offset === this.#writer.last || (await this.after(offset, 1)) !== undefined;
  }

  /** True if an event was dropped, so that the ones after it may have been, too. */
  async hasLost(offset: string): Promise<boolean> {
    return offset !== this.#writer.last && !(await this.#store.holds(this.#key, offset));
  }

  start(connection: EventConnection, retryMs?: number): void {
    const position = { offset: streamStart };
    if (!this.#isShared || retryMs === undefined) return void this.#open(connection, position, retryMs);
    const feed = this.#open(connection, position, undefined);
    // The client may come back to any node, so its place is stored before it is sent.
    this.#beginning = this.#begin(feed, retryMs);
  }

  /** Sends what comes after `offset` over a new connection, and all that follows. */
  async attach(connection: EventConnection, position: StreamPosition, retryMs?: number): Promise<void> {
    this.#feed?.connection.end();
    const feed = this.#open(connection, position, retryMs);
    await feed.flush();
    // It was removed while the client came back to it.
    if (this.#isRemoved) connection.end();
    this.#endIfDone();
  }

  disconnect(retryMs: number): void {
    // Without the event to resume from, the client could not come back.
    if (this.#beginning !== undefined) return void this.#beginning.then(() => this.disconnect(retryMs));
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
    this.#writer.close();
    clearTimeout(this.#expiryTimer);
    this.#feed?.connection.end();
  }

  /** Closes the connection and removes the stored events. */
  async close(): Promise<void> {
    this.detach();
    // Others may still read what was answered in place of this node.
    if (this.#isLost) return;
    this.#isRemoved = true;
    // A text on its way would begin the stream again.
    await this.#writer.settle();
    await this.#store.remove(this.#key);
  }

  after(offset: string, limit: number): ReturnType<EventStore["after"]> {
    return this.#store.after(this.#key, offset, limit);
  }

  toText({ text, number }: StreamMessage, offset: string): string {
    return encodeEvent(text, this.#eventId({ offset, number }));
  }

  async #begin(feed: EventFeed, retryMs: number): Promise<void> {
    try {
      const offset = await this.#writer.begin();
      feed.skipTo(offset);
      await feed.connection.write(encodePrimingEvent(this.#eventId({ offset }), retryMs));
    } catch {
      // The first message fails, too, and its sender gets the error.
    } finally {
      this.#beginning = undefined;
    }
  }

  /** Other nodes must learn of the end also where no message comes with it. */
  #toLastRecord(text: string | undefined): string | undefined {
    if (text !== undefined) return encodeLastMessage(text, this.#nextNumber());
    return this.#isShared ? endRecord : undefined;
  }

  #offer({ offset, previous }: WrittenText, text: string): void | Promise<void> {
    return this.#feed?.offer({ offset, text }, previous);
  }

  #open(connection: EventConnection, position: StreamPosition, retryMs: number | undefined): EventFeed {
    clearTimeout(this.#expiryTimer);
    this.#feed = new EventFeed(connection, this, position);
    if (retryMs !== undefined) void connection.write(encodePrimingEvent(this.#eventId(position), retryMs));
    return this.#feed;
  }

  /** The number of the next message, where other nodes may read it. */
  #nextNumber(): number | undefined {
    return this.#isShared ? this.#number++ : undefined;
  }

  #endIfDone(): void {
    if (!this.#finished || this.#feed === undefined || this.#feed.sent !== this.#writer.last) return;
    this.#feed.connection.end();
    this.#expireLater();
  }

  /** Gives the client a while to come back before the stream expires. */
  #expireLater(): void {
    if (this.#expiry === undefined || this.#isRemoved) return;
    clearTimeout(this.#expiryTimer);
    const { afterMs, onExpired, isReadElsewhere } = this.#expiry;
    const expire = isReadElsewhere
      ? () => void this.#expireUnlessRead(isReadElsewhere, onExpired)
      : onExpired;
    this.#expiryTimer = runLater(expire, afterMs);
  }

  async #expireUnlessRead(isRead: () => Promise<boolean>, onExpired: () => void): Promise<void> {
    // A call goes on while the store can't show whether it has a reader.
    const hasReader = await isRead().catch(() => true);
    if (this.connected && !this.#finished) return;
    if (hasReader) this.#expireLater();
    else onExpired();
  }

  #eventId({ offset, number }: StreamPosition): string {
    return toEventId({ session: this.#session, stream: this.id, offset, number });
  }
}

/** The key of a stream in the store. Its session comes first, whose share of the store it counts in. */
export function toStreamKey(session: string, id: string): string {
  return `${session}/${id}`;
}
