import type { EventConnection } from "./event-connection.ts";
import { encodeEvent } from "./sse-encode.ts";

/** What is said before and with the answer to one POST of a session. */
export interface EventStream {
  /** Whether the client may come back to it over another connection. */
  readonly isResumable: boolean;
  /** Whether more waits for the reader than may, because the writer does not wait. */
  readonly isFull: boolean;
  /** The connection that was opened for it. With `retryMs` it begins with an event to resume from. */
  start(connection: EventConnection, retryMs?: number): void;
  /** Says something; waits for a slow reader. */
  send(text: string): Promise<void>;
  /** Says the last thing, if there is one: the stream ends with it. */
  finish(text: string | undefined): Promise<void>;
  /** Lets go of the connection, if the client can come back for the rest. */
  disconnect(retryMs: number): void;
  /** The reader of a connection is gone. */
  drop(connection: EventConnection): void;
}

/** A stream that lives and dies with its connection. */
export class NonResumableStream implements EventStream {
  readonly isResumable = false;
  #connection: EventConnection | undefined;

  get isFull(): boolean {
    return this.#connection?.isFull === true;
  }

  start(connection: EventConnection): void {
    this.#connection = connection;
  }

  async send(text: string): Promise<void> {
    await this.#connection?.write(encodeEvent(text));
  }

  async finish(text: string | undefined): Promise<void> {
    if (text !== undefined) void this.send(text);
    this.#connection?.end();
  }

  disconnect(): void {}

  drop(connection: EventConnection): void {
    connection.drop();
  }
}
