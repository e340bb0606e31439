import type { MaybePromise } from "../lib/async/maybe-promise.ts";
import { startBackgroundTimer } from "../lib/async/timers.ts";
import { pageSize } from "./read-stream.ts";
import { type EventStore, type StoredEvent, streamStart } from "./state.ts";

export interface TailParts {
  readonly events: EventStore;
  readonly stream: string;
  /** Takes events in their order. The next ones are read when it has settled. */
  readonly onEvents: (events: readonly StoredEvent[]) => MaybePromise<void>;
  /** Called before the events that are left when some were dropped before they were read. */
  readonly onMissed?: () => void;
  readonly onFailure: (cause: unknown) => void;
}

interface Waiting {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** Hints get lost: a look at the stream each second finds what they missed. */
const lookMs = 1_000;

/** Follows a stream from an offset on. */
export class StreamTail {
  readonly #parts: TailParts;
  readonly #timer: ReturnType<typeof setInterval>;
  readonly #stopWatching: () => void;
  #offset: string | undefined;
  /** The callers that wait until all is read. */
  readonly #waiting: Waiting[] = [];
  #isReading = false;
  #isDue = false;
  #isClosed = false;

  /** Without an offset it begins at the end that the stream has at the first look. */
  constructor(parts: TailParts, offset?: string) {
    this.#parts = parts;
    this.#offset = offset;
    this.#timer = startBackgroundTimer(() => this.#look(), lookMs);
    this.#stopWatching = parts.events.watch(parts.stream, () => this.#look());
    if (offset !== undefined) this.#look();
  }

  /** The offset of the last event that was taken; undefined before the first look. */
  get offset(): string | undefined {
    return this.#offset;
  }

  /** Reads all that there is by now, and does not wait for what comes meanwhile. Rejects when the store fails. */
  catchUp(): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#look();
    });
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
    this.#stopWatching();
  }

  #look(): void {
    this.#isDue = true;
    if (this.#isReading || this.#isClosed) return;
    this.#isReading = true;
    void this.#readAll();
  }

  async #readAll(): Promise<void> {
    while (this.#isDue && !this.#isClosed) await this.#readFor(this.#waiting.splice(0));
    this.#isReading = false;
    for (const { resolve } of this.#waiting.splice(0)) resolve();
  }

  /** Reads a page. Callers that waited before it was read are up to date, unless there are more. */
  async #readFor(waiting: readonly Waiting[]): Promise<void> {
    this.#isDue = false;
    try {
      const isAtEnd = await this.#readPage();
      if (isAtEnd) for (const { resolve } of waiting) resolve();
      else this.#waiting.unshift(...waiting);
    } catch (error) {
      if (waiting.length === 0) this.#parts.onFailure(error);
      for (const { reject } of waiting) reject(error as Error);
      // The next look tries again, unless somebody waits for it.
      this.#isDue = this.#waiting.length > 0;
    }
  }

  /** Takes the next events; returns whether there are no more. */
  async #readPage(): Promise<boolean> {
    const { events, stream, onEvents, onMissed } = this.#parts;
    this.#offset ??= await events.last(stream);
    const found = await events.after(stream, this.#offset, pageSize);
    if (await this.#hasMissed(found, this.#offset)) onMissed?.();
    // A stream that has expired begins again.
    if (found === undefined) this.#offset = streamStart;
    const page = found ?? (await events.after(stream, streamStart, pageSize)) ?? [];
    const last = page.at(-1);
    if (last === undefined || this.#isClosed) return true;
    await onEvents(page);
    this.#offset = last.offset;
    if (page.length === pageSize) this.#isDue = true;
    return page.length < pageSize;
  }

  /** True if events after an offset were dropped. Asked after those that are left were read: others may be dropped meanwhile. */
  async #hasMissed(found: readonly StoredEvent[] | undefined, offset: string): Promise<boolean> {
    const { events, stream, onMissed } = this.#parts;
    if (onMissed === undefined || found?.length === 0) return false;
    return found === undefined || !(await events.holds(stream, offset));
  }
}
