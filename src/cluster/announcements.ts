import { replaceEvent, type ServerEvent, toEventKey } from "../contract/server-event.ts";
import { OverloadedError } from "../errors.ts";
import { runLater } from "../lib/async/timers.ts";
import { randomHex } from "../lib/encoding/random-token.ts";
import type { EventStore, ValueStore } from "../state/state.ts";
import { busStream, busTtlMs, encodeBusMessage } from "./bus-message.ts";
import { findElicited } from "./elicited.ts";

export interface AnnouncementParts {
  readonly events: EventStore;
  readonly values: ValueStore;
  /** The offset up to which this node has read the bus, where it does. Default: the store is asked. */
  readonly position?: () => Promise<string>;
  readonly report: (message: string, cause: unknown) => void;
}

/** An event that is not stored yet. */
interface Waiting {
  readonly event: ServerEvent;
  /** Settles with the event that is announced last under its key. */
  readonly stored: Promise<void>;
  readonly onStored: () => void;
  readonly onDropped: (error: Error) => void;
}

/** Events that are stored together, or not at all. */
interface Batch {
  readonly texts: readonly string[];
  readonly events: readonly Waiting[];
}

/** The events that wait at a time. Log messages have places of their own, so that they never take those of changes. */
const maxWaiting = { logs: 1_000, changes: 10_000 };
const maxBatch = 100;
const shortestPauseMs = 100;
const longestPauseMs = 2_000;

/**
 * Events of this process on their way to the bus. One that waits already is not added again.
 *
 * While the store is away they wait, within limits. A batch that may have been stored is sent again as it was, and
 * readers know it by its numbers.
 */
export class Announcements {
  readonly #parts: AnnouncementParts;
  readonly #sender = randomHex(8);
  readonly #waiting = { logs: new Map<string, Waiting>(), changes: new Map<string, Waiting>() };
  #batch: Batch = { texts: [], events: [] };
  #number = 0;
  #sending: Promise<void> | undefined;
  #endPause: (() => void) | undefined;
  #isClosed = false;

  constructor(parts: AnnouncementParts) {
    this.#parts = parts;
  }

  /** Settles when the store has the event. Rejects when it never will; nobody has to take notice of that. */
  add(event: ServerEvent): Promise<void> {
    const stored = this.#add(event);
    stored.catch(() => {});
    return stored;
  }

  /** Sends what waits once more, and takes no more; returns whether the store has taken all. */
  async close(): Promise<boolean> {
    this.#isClosed = true;
    this.#endPause?.();
    await this.#sending;
    return !this.#hasUnsent;
  }

  get #hasUnsent(): boolean {
    const { logs, changes } = this.#waiting;
    return this.#batch.events.length + logs.size + changes.size > 0;
  }

  async #sendAll(): Promise<void> {
    let pauseMs = shortestPauseMs;
    while (this.#hasUnsent) {
      try {
        if (this.#batch.events.length === 0) this.#batch = await this.#nextBatch();
        const { texts, events } = this.#batch;
        if (texts.length > 0) await this.#parts.events.append(busStream, texts, busTtlMs);
        this.#batch = { texts: [], events: [] };
        for (const { onStored } of events) onStored();
        pauseMs = shortestPauseMs;
      } catch (cause) {
        this.#parts.report("A change could not be announced to the other nodes", cause);
        if (this.#isClosed) return this.#giveUp();
        await this.#pause(pauseMs);
        pauseMs = Math.min(2 * pauseMs, longestPauseMs);
      }
    }
    this.#sending = undefined;
  }

  #add(event: ServerEvent): Promise<void> {
    if (this.#isClosed) return Promise.reject(notAnnounced("The server is closing"));
    const kind = event.kind === "log" ? "logs" : "changes";
    const key = toEventKey(event);
    const known = this.#waiting[kind].get(key);
    if (known) {
      this.#waiting[kind].set(key, { ...known, event: replaceEvent(known.event, event) });
      return known.stored;
    }
    const waiting = toWaiting(event);
    this.#waiting[kind].set(key, waiting);
    this.#dropSurplus(kind);
    this.#sending ??= this.#sendAll();
    return waiting.stored;
  }

  #dropSurplus(kind: "logs" | "changes"): void {
    const [oldest] = this.#waiting[kind];
    if (this.#waiting[kind].size <= maxWaiting[kind] || oldest === undefined) return;
    const [key, { onDropped }] = oldest;
    this.#waiting[kind].delete(key);
    onDropped(notAnnounced(`Too many ${kind} wait for the store`));
    this.#parts.report(`Too many ${kind} wait for the store; some are not announced`, undefined);
  }

  #giveUp(): void {
    this.#sending = undefined;
    const { logs, changes } = this.#waiting;
    const left = [...this.#batch.events, ...changes.values(), ...logs.values()];
    for (const { onDropped } of left) onDropped(notAnnounced("The store is away"));
  }

  async #nextBatch(): Promise<Batch> {
    const { events, position = () => events.last(busStream) } = this.#parts;
    const since = await position();
    const { logs, changes } = this.#waiting;
    const entries = [...changes, ...logs].slice(0, maxBatch);
    const named = await Promise.all(entries.map(([, { event }]) => this.#toNamed(event)));
    for (const [key, waiting] of entries)
      for (const kind of [changes, logs]) if (kind.get(key) === waiting) kind.delete(key);
    const texts = named.map((event) => this.#encode(event, since)).filter((text) => text !== undefined);
    return { texts, events: entries.map(([, waiting]) => waiting) };
  }

  /** The completion of an elicitation names the session that was asked. */
  async #toNamed(event: ServerEvent): Promise<ServerEvent> {
    if (event.kind !== "elicitation") return event;
    return { ...event, session: await findElicited(this.#parts.values, event.id) };
  }

  #encode(event: ServerEvent, since: string): string | undefined {
    try {
      const origin = { sender: this.#sender, number: ++this.#number, since };
      return encodeBusMessage({ type: "event", event }, origin);
    } catch (cause) {
      this.#parts.report("A log message is not JSON, and is not sent", cause);
      return undefined;
    }
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = runLater(resolve, ms);
      this.#endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

function notAnnounced(why: string): OverloadedError {
  return new OverloadedError(`${why}, so the change was not announced.`);
}

function toWaiting(event: ServerEvent): Waiting {
  let onStored = () => {};
  let onDropped: Waiting["onDropped"] = () => {};
  const stored = new Promise<void>((resolve, reject) => {
    onStored = resolve;
    onDropped = reject;
  });
  return { event, stored, onStored, onDropped };
}
