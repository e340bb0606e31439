import type { NotificationStream } from "./call-notifier.ts";
import type { EventConnection } from "./event-connection.ts";

/** The messages before and with the answer to one POST of a session. */
export interface EventStream extends NotificationStream {
  /** True if the client may come back to it over another connection. */
  readonly isResumable: boolean;
  /** Takes the connection that was opened for it. With `retryMs` it begins with an event to resume from. */
  start(connection: EventConnection, retryMs?: number): void;
  /** Sends the last message, if there is one, and ends the stream. */
  finish(text: string | undefined): Promise<void>;
  /** Closes the connection, if the client can come back for the rest. */
  disconnect(retryMs: number): void;
  /** Takes note that the reader of a connection is gone. */
  onDisconnected(connection: EventConnection): void;
}

/** A stream that ends with its connection. */
export class NonResumableStream implements EventStream {
  readonly isResumable = false;
  #connection: EventConnection | undefined;

  get isFull(): boolean {
    return this.#connection?.isFull === true;
  }

  start(connection: EventConnection): void {
    this.#connection = connection;
  }

  send(text: string): void | Promise<void> {
    return this.#connection?.send(text);
  }

  async finish(text: string | undefined): Promise<void> {
    if (text !== undefined) void this.send(text);
    this.#connection?.end();
  }

  disconnect(): void {}

  onDisconnected(connection: EventConnection): void {
    connection.drop();
  }
}
