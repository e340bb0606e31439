import type { ServerEvent } from "../contract/server-event.ts";
import { OverloadedError } from "../errors.ts";
import type { MaybePromise } from "../lib/async/maybe-promise.ts";
import { nextTurn } from "../lib/async/yield-turn.ts";
import { type EventStore, type StoredEvent, streamStart, type ValueStore } from "../state/state.ts";
import { StreamTail } from "../state/stream-tail.ts";
import { Announcements } from "./announcements.ts";
import {
  type BusMessage,
  busStream,
  busTtlMs,
  controlStream,
  encodeBusMessage,
  isControl,
} from "./bus-message.ts";
import { BusReader } from "./bus-reader.ts";
import { RecentMessages } from "./recent-messages.ts";

export interface BusParts {
  readonly events: EventStore;
  readonly values: ValueStore;
  readonly report: (message: string, cause: unknown) => void;
}

/** The number of listeners that are called in one turn; each may write to a socket. */
const listenersPerTurn = 256;

type MessageListener = (message: BusMessage) => MaybePromise<void>;

/**
 * The messages to all nodes of a server, in one order for all of them, this one included. Control messages come before
 * the events that were stored after them.
 */
export class Bus {
  readonly recent: RecentMessages = new RecentMessages();
  readonly #parts: BusParts;
  readonly #announcements: Announcements;
  readonly #reader: BusReader;
  readonly #listeners = new Set<MessageListener>();
  readonly #onAdvanced = new Set<() => void>();
  readonly #onMissed = new Set<() => void>();
  #tail: StreamTail | undefined;
  #controlTail: StreamTail | undefined;
  /** The offset of the last message that was taken. */
  #taken: string | undefined;

  constructor(parts: BusParts) {
    this.#parts = parts;
    this.#announcements = new Announcements({ ...parts, position: () => this.follow() });
    this.#reader = this.openReader();
  }

  /** Announces an event to all nodes; settles when the store has it. */
  announce(event: ServerEvent): Promise<void> {
    return this.#announcements.add(event);
  }

  /** Sends a message that may come twice. Rejects when it was not stored. */
  async send(message: BusMessage): Promise<void> {
    const stream = isControl(message) ? controlStream : busStream;
    await this.#parts.events.append(stream, [encodeBusMessage(message)], busTtlMs);
  }

  /** Follows the messages from now on; returns the offset that it has got to. Rejects when the store fails. */
  async follow(): Promise<string> {
    this.#controlTail ??= this.#tailOf(controlStream, (events) => this.#takeControl(events));
    this.#tail ??= this.#tailOf(
      busStream,
      (events) => this.#take(events),
      () => this.#miss(),
    );
    // Each may have looked by itself before the other.
    if (this.#tail.offset === undefined || this.#controlTail.offset === undefined) {
      await this.#begin();
      await this.#controlTail.catchUp();
      await this.#tail.catchUp();
      this.recent.begin(this.#tail.offset ?? "");
    }
    return this.#tail.offset ?? "";
  }

  /** Reads all messages that there are by now. */
  async catchUp(): Promise<void> {
    await this.follow();
    await this.#tail?.catchUp();
  }

  /** Messages after an offset, from the store. Undefined for an offset that the bus has never had. */
  async readAfter(offset: string, limit: number): Promise<readonly StoredEvent[] | undefined> {
    return this.#parts.events.after(busStream, offset, limit);
  }

  /** True if the store still has the message at an offset, and so all after it. */
  async holds(offset: string): Promise<boolean> {
    return this.#parts.events.holds(busStream, offset);
  }

  /** A reader of messages from the store, in their order from any offset on. */
  openReader(): BusReader {
    return new BusReader(this.#parts.events);
  }

  /** Calls the listener with each message, in order: the next one waits until it has settled. */
  onMessage(listener: MessageListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Calls the listener when there are more messages in `recent`. */
  onAdvanced(listener: () => void): () => void {
    this.#onAdvanced.add(listener);
    return () => void this.#onAdvanced.delete(listener);
  }

  /** Calls the listener when messages were dropped before this node has read them. */
  onMissed(listener: () => void): void {
    this.#onMissed.add(listener);
  }

  async close(): Promise<void> {
    await this.#announcements.close();
    this.#tail?.close();
    this.#controlTail?.close();
  }

  #tailOf(
    stream: string,
    onEvents: (events: readonly StoredEvent[]) => Promise<void>,
    onMissed?: () => void,
  ): StreamTail {
    return new StreamTail({
      events: this.#parts.events,
      stream,
      onEvents,
      ...(onMissed && { onMissed }),
      onFailure: (cause) => this.#parts.report("The messages of other nodes can't be read", cause),
    });
  }

  /** Gives an empty stream its first message: from there on, a reader notices that messages were dropped. */
  async #begin(): Promise<void> {
    const last = await this.#parts.events.last(busStream);
    if (last === streamStart) await this.send({ type: "begin" });
  }

  #miss(): void {
    this.recent.clear();
    for (const listener of this.#onMissed) listener();
  }

  async #takeControl(events: readonly StoredEvent[]): Promise<void> {
    for (const event of events) {
      const message = await this.#reader.read(event);
      if (message !== undefined) await this.#pass(message).catch((cause) => this.#reportUnused(cause));
    }
  }

  /** Takes messages in their order. Rejects when the store is away, and then is called with the same ones again. */
  async #take(events: readonly StoredEvent[]): Promise<void> {
    await this.#controlTail?.catchUp();
    const first = events.findIndex(({ offset }) => offset === this.#taken) + 1;
    try {
      for (const event of events.slice(first)) {
        const { offset } = event;
        const message = await this.#reader.read(event);
        if (message !== undefined) await this.#pass(message);
        if (message !== undefined) this.recent.add({ offset, message }, event.text.length);
        this.#taken = offset;
      }
    } finally {
      await this.#onTaken();
    }
  }

  async #onTaken(): Promise<void> {
    let notified = 0;
    for (const listener of [...this.#onAdvanced]) {
      if (this.#onAdvanced.has(listener)) listener();
      if (++notified % listenersPerTurn === 0) await nextTurn();
    }
  }

  /** A listener that fails must not keep the node from the next message, unless the next one depends on it. */
  async #pass(message: BusMessage): Promise<void> {
    for (const listener of this.#listeners) {
      try {
        await listener(message);
      } catch (cause) {
        // Events are for sessions as they are by then.
        if (cause instanceof OverloadedError) throw cause;
        this.#reportUnused(cause);
      }
    }
  }

  #reportUnused(cause: unknown): void {
    this.#parts.report("A message of another node could not be used", cause);
  }
}
