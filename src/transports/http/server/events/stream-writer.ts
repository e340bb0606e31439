import { StoreUnavailableError } from "../../../../errors/overloaded-error.ts";
import { andThen, attempt, isPromise, type MaybePromise } from "../../../../lib/async/maybe-promise.ts";
import { runLater } from "../../../../lib/async/timers.ts";
import { type EventStore, streamStart } from "../../../../state/state.ts";

export interface WrittenText {
  readonly offset: string;
  /** The offset of the text before it; undefined when other texts were appended with it. */
  readonly previous: string | undefined;
}

export interface WrittenStream {
  readonly stream: string;
  readonly ttlMs: number;
  /** The time that texts wait for a store that is away. */
  readonly patienceMs: number;
  /** A text that is appended before the first one. */
  readonly first?: string | undefined;
}

/** The pause between two tries of a store that is away. */
const pauseMs = 250;

/** Texts that are appended together. */
interface Batch {
  readonly texts: string[];
  readonly writing: Promise<WrittenText>;
}

/**
 * Appends texts to a stored stream in the order in which they come: while the store takes some, all others wait as one
 * batch. While the store is away, they wait for it.
 */
export class StreamWriter {
  readonly #store: EventStore;
  readonly #stream: string;
  readonly #patienceMs: number;
  #ttlMs: number;
  #isClosed = false;
  /** The text that goes before all others, until it is stored. */
  #first: string | undefined;
  #last = streamStart;
  #writing: Promise<unknown> | undefined;
  #next: Batch | undefined;

  constructor(store: EventStore, { stream, ttlMs, patienceMs, first }: WrittenStream) {
    this.#store = store;
    this.#stream = stream;
    this.#ttlMs = ttlMs;
    this.#patienceMs = patienceMs;
    this.#first = first;
  }

  /** The offset of the last text that was appended. */
  get last(): string {
    return this.#last;
  }

  write(text: string): MaybePromise<WrittenText> {
    if (this.#next === undefined) {
      if (this.#writing === undefined) return this.#append([text]);
      this.#next = this.#batchAfter(this.#writing);
    }
    this.#next.texts.push(text);
    return this.#next.writing;
  }

  /** Appends the last text, with which the stream is stored for `ttlMs`. */
  writeLast(text: string, ttlMs: number): MaybePromise<WrittenText> {
    this.#ttlMs = ttlMs;
    return this.write(text);
  }

  /** Stops waiting for a store that is away. */
  close(): void {
    this.#isClosed = true;
  }

  /** Appends the text that goes before all others now; returns its offset. */
  begin(): MaybePromise<string> {
    return andThen(this.#append([]), ({ offset }) => offset);
  }

  /** Settles when the store has taken, or refused, all texts. */
  async settle(): Promise<undefined> {
    // The writers of the texts get the error.
    for (let writing = this.#lastWriting; writing !== undefined; writing = this.#lastWriting)
      await writing.catch(() => {});
    return undefined;
  }

  get #lastWriting(): Promise<unknown> | undefined {
    return this.#next?.writing ?? this.#writing;
  }

  #batchAfter(earlier: Promise<unknown>): Batch {
    const texts: string[] = [];
    const begin = () => {
      this.#next = undefined;
      return this.#append(texts);
    };
    // The writer of the earlier texts gets its error.
    return { texts, writing: earlier.then(begin, begin) };
  }

  #append(texts: readonly string[]): MaybePromise<WrittenText> {
    const previous = texts.length === 1 ? this.#last : undefined;
    const all = this.#first === undefined ? texts : [this.#first, ...texts];
    const appended = attempt(
      () => this.#store.append(this.#stream, all, this.#ttlMs),
      (offset) => offset,
      (error) => this.#appendAgain(all, error),
    );
    const written = andThen(appended, (offset) => {
      this.#first = undefined;
      this.#last = offset;
      return { offset, previous };
    });
    if (isPromise(written)) this.#track(written);
    return written;
  }

  /** Appends texts that the store did not take, or may have taken before it was away. */
  async #appendAgain(texts: readonly string[], cause: unknown): Promise<string> {
    const until = Date.now() + this.#patienceMs;
    for (let error = cause; ; ) {
      if (!(error instanceof StoreUnavailableError) || this.#isClosed || Date.now() > until) throw error;
      await new Promise<void>((resolve) => runLater(resolve, pauseMs));
      try {
        return (
          (await this.#findAppended(texts)) ?? (await this.#store.append(this.#stream, texts, this.#ttlMs))
        );
      } catch (next) {
        error = next;
      }
    }
  }

  /** The offset of the last of these texts, if they are in the store. Nobody else writes between them. */
  async #findAppended(texts: readonly string[]): Promise<string | undefined> {
    const stored = (await this.#store.after(this.#stream, this.#last, texts.length)) ?? [];
    if (stored.length < texts.length || stored.some(({ text }, place) => text !== texts[place]))
      return undefined;
    return stored.at(-1)?.offset;
  }

  #track(writing: Promise<unknown>): void {
    const onEnd = () => {
      if (this.#writing === writing) this.#writing = undefined;
    };
    this.#writing = writing;
    writing.then(onEnd, onEnd);
  }
}
