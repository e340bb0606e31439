import type { MaybePromise } from "../../../../lib/async/maybe-promise.ts";
import { pageSize } from "../../../../state/read-stream.ts";
import type { StoredEvent } from "../../../../state/state.ts";
import type { EventConnection } from "./event-connection.ts";
import { type StreamPosition, StreamReader } from "./stream-reader.ts";
import { isEnd, type StreamMessage } from "./stream-record.ts";

/** The source of events that a feed has not sent yet. */
export interface StoredEventSource {
  after(offset: string, limit: number): MaybePromise<readonly StoredEvent[] | undefined>;
  /** The text of a message as an event. */
  toText(message: StreamMessage, offset: string): string;
}

/** Sends the events of one stream over one connection, in their order, as fast as its reader takes them. */
export class EventFeed {
  readonly connection: EventConnection;
  readonly #source: StoredEventSource;
  readonly #reader: StreamReader;
  #sending: Promise<void> | undefined;
  #isBehind = false;

  constructor(connection: EventConnection, source: StoredEventSource, position: StreamPosition) {
    this.connection = connection;
    this.#source = source;
    this.#reader = new StreamReader(position);
  }

  /** The offset of the last event that was handed to the connection. */
  get sent(): string {
    return this.#reader.offset;
  }

  /** Goes on after an event that no reader gets. */
  skipTo(offset: string): void {
    this.#reader.offset = offset;
  }

  /** Sends an event that was just stored, at once if the previous one was sent; settles when the reader has room again. */
  offer(event: StoredEvent, previous: string | undefined): void | Promise<void> {
    if (this.#sending || previous !== this.sent) return this.flush();
    const room = this.#write(event);
    if (room !== undefined) this.#sending = this.#sendRest(room);
    return this.#sending;
  }

  /** Sends all stored events; settles when they have been handed over. */
  flush(): Promise<void> {
    this.#isBehind = true;
    this.#sending ??= this.#sendRest();
    return this.#sending;
  }

  async #sendRest(room?: Promise<void>): Promise<void> {
    try {
      await room;
      while (this.#isBehind && !this.connection.closed) {
        this.#isBehind = false;
        const page = (await this.#source.after(this.sent, pageSize)) ?? [];
        if (page.length === pageSize) this.#isBehind = true;
        for (const event of page) {
          if (this.connection.closed) return;
          await this.#write(event);
        }
      }
    } finally {
      this.#sending = undefined;
    }
  }

  #write(event: StoredEvent): void | Promise<void> {
    const record = this.#reader.read(event);
    const room =
      record?.kind === "message"
        ? this.connection.write(this.#source.toText(record, event.offset))
        : undefined;
    if (isEnd(record)) this.connection.end();
    return room;
  }
}
