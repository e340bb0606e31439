import type { MaybePromise } from "../../../../lib/async/maybe-promise.ts";
import type { StoredEvent } from "../../../../state/state.ts";
import type { EventConnection } from "./event-connection.ts";

/** The source of events that a feed has not sent yet. */
export interface StoredEventSource {
  after(offset: string, limit: number): MaybePromise<readonly StoredEvent[] | undefined>;
  /** The text of an event; empty for one that no reader gets. */
  toText(event: StoredEvent): string;
  /** The number of an event that may have been stored twice. */
  numberOf(event: StoredEvent): number | undefined;
  /** Whether the stream is over with this event, whatever was appended after it. */
  isLast(event: StoredEvent): boolean;
}

/** Events that are read from the store at once. */
const pageSize = 256;

/** Sends the events of one stream over one connection, in their order, as fast as its reader takes them. */
export class EventFeed {
  readonly connection: EventConnection;
  readonly #source: StoredEventSource;
  #sent: string;
  /** The number of the last event that has one. */
  #number: number;
  #sending: Promise<void> | undefined;
  #isBehind = false;

  constructor(connection: EventConnection, source: StoredEventSource, offset: string, number = -1) {
    this.connection = connection;
    this.#source = source;
    this.#sent = offset;
    this.#number = number;
  }

  /** The offset of the last event that was handed to the connection. */
  get sent(): string {
    return this.#sent;
  }

  /** Goes on after an event that no reader gets. */
  skipTo(offset: string): void {
    this.#sent = offset;
  }

  /** Sends an event that was just stored, at once if the previous one was sent; settles when the reader has room again. */
  offer(event: StoredEvent, previous: string | undefined): void | Promise<void> {
    if (this.#sending || previous !== this.#sent) return this.flush();
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
        const page = (await this.#source.after(this.#sent, pageSize)) ?? [];
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
    this.#sent = event.offset;
    if (this.#isDouble(event)) return undefined;
    const text = this.#source.toText(event);
    const room = text === "" ? undefined : this.connection.write(text);
    if (this.#source.isLast(event)) this.connection.end();
    return room;
  }

  /** Whether an event was sent before: a writer that had no answer of the store has stored it again. */
  #isDouble(event: StoredEvent): boolean {
    const number = this.#source.numberOf(event);
    if (number === undefined) return false;
    if (number <= this.#number) return true;
    this.#number = number;
    return false;
  }
}
