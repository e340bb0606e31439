import type { EventStore } from "../../state/state.ts";
import type { EventConnection } from "./event-connection.ts";
import { toEvent, toPrimingEvent, toRetry } from "./sse-write.ts";

/** A stream of events that outlives its connections: each picks up where the last one broke. */
export class ResumableStream {
  readonly id: string;
  readonly #key: string;
  readonly #store: EventStore;
  #connection: EventConnection | undefined;
  #sent = 0;
  #working: Promise<void> | undefined;
  #finished = false;

  constructor(session: string, id: string, store: EventStore) {
    this.id = id;
    this.#key = `${session}/${id}`;
    this.#store = store;
  }

  get connected(): boolean {
    return this.#connection !== undefined && !this.#connection.closed;
  }

  get finished(): boolean {
    return this.#finished;
  }

  /** The number of the last event that was sent. */
  get delivered(): number {
    return this.#sent;
  }

  /** Keeps a message and sends it if somebody reads; waits for a slow reader. */
  async say(text: string): Promise<void> {
    await this.#store.append(this.#key, text);
    await this.#pump();
  }

  /** The last message: the stream ends with it. */
  async finish(text: string): Promise<void> {
    await this.#store.append(this.#key, text);
    this.#finished = true;
    await this.#pump();
  }

  /** Sends what comes after `sequence` over a new connection, and all that follows. False when some of that is lost. */
  async attach(connection: EventConnection, sequence: number): Promise<boolean> {
    if ((await this.#store.after(this.#key, sequence)) === undefined) return false;
    this.#connection?.end();
    this.#connection = connection;
    this.#sent = sequence;
    await this.#pump();
    return true;
  }

  /** The first connection; with `retryMs` it begins with an event to resume from. */
  start(connection: EventConnection, retryMs?: number): void {
    this.#connection = connection;
    if (retryMs !== undefined) void connection.write(toPrimingEvent(this.#eventId(0), retryMs));
  }

  /** Lets go of the connection; the stream goes on. */
  disconnect(retryMs: number): void {
    void this.#connection?.write(toRetry(retryMs));
    this.#connection?.end();
    this.#connection = undefined;
  }

  drop(connection: EventConnection): void {
    connection.drop();
    if (this.#connection === connection) this.#connection = undefined;
  }

  async close(): Promise<void> {
    this.#finished = true;
    this.#connection?.end();
    this.#connection = undefined;
    await this.#store.remove(this.#key);
  }

  /** One at a time, so that events leave in their order. */
  #pump(): Promise<void> {
    this.#working = (this.#working ?? Promise.resolve()).then(() => this.#send());
    return this.#working;
  }

  async #send(): Promise<void> {
    const connection = this.#connection;
    if (connection === undefined || connection.closed) return;
    const events = await this.#store.after(this.#key, this.#sent);
    for (const { sequence, text } of events ?? []) {
      await connection.write(toEvent(text, this.#eventId(sequence)));
      if (connection !== this.#connection) return;
      this.#sent = sequence;
    }
    if (this.#finished) connection.end();
  }

  #eventId(sequence: number): string {
    return `${this.id}-${sequence}`;
  }
}

/** The stream and the number that an event id names. */
export function parseEventId(id: string): { readonly stream: string; readonly sequence: number } | undefined {
  const match = /^([\w]{1,64})-(\d{1,15})$/.exec(id);
  return match?.[1] === undefined ? undefined : { stream: match[1], sequence: Number(match[2]) };
}
