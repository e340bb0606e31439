import type { MaybePromise } from "../../../../lib/async/maybe-promise.ts";
import type { StoredEvent } from "../../../../state/state.ts";
import type { EventConnection } from "./event-connection.ts";

/** The source of events that a feed has not sent yet. */
export interface StoredEventSource {
  after(sequence: number): MaybePromise<readonly StoredEvent[] | undefined>;
  toText(event: StoredEvent): string;
}

/** Sends the events of one stream over one connection, in their order, as fast as its reader takes them. */
export class EventFeed {
  readonly connection: EventConnection;
  readonly #source: StoredEventSource;
  #sent: number;
  #sending: Promise<void> | undefined;
  #isBehind = false;

  constructor(connection: EventConnection, source: StoredEventSource, sequence: number) {
    this.connection = connection;
    this.#source = source;
    this.#sent = sequence;
  }

  /** The number of the last event that was handed to the connection. */
  get sent(): number {
    return this.#sent;
  }

  /** Sends an event that was just stored, at once if it is the next; settles when the reader has room again. */
  offer(event: StoredEvent): void | Promise<void> {
    if (this.#sending || event.sequence !== this.#sent + 1) return this.flush();
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
        for (const event of (await this.#source.after(this.#sent)) ?? []) {
          if (this.connection.closed) return;
          await this.#write(event);
        }
      }
    } finally {
      this.#sending = undefined;
    }
  }

  #write(event: StoredEvent): void | Promise<void> {
    this.#sent = event.sequence;
    return this.connection.write(this.#source.toText(event));
  }
}
