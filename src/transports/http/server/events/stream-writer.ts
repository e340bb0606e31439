import { andThen, isPromise, type MaybePromise } from "../../../../lib/async/maybe-promise.ts";
import { type EventStore, streamStart } from "../../../../state/state.ts";

export interface WrittenText {
  readonly offset: string;
  /** The offset of the text before it; undefined when other texts were appended with it. */
  readonly previous: string | undefined;
}

export interface WrittenStream {
  readonly stream: string;
  readonly ttlMs: number;
  /** A text that is appended before the first one. */
  readonly first?: string | undefined;
}

/** Texts that are appended together. */
interface Batch {
  readonly texts: string[];
  readonly writing: Promise<WrittenText>;
}

/** Appends texts to a stored stream in the order in which they come: while the store takes some, all others wait as one batch. */
export class StreamWriter {
  readonly #store: EventStore;
  readonly #stream: string;
  readonly #ttlMs: number;
  /** The text that goes before all others, until it is stored. */
  #first: string | undefined;
  #last = streamStart;
  #writing: Promise<unknown> | undefined;
  #next: Batch | undefined;

  constructor(store: EventStore, { stream, ttlMs, first }: WrittenStream) {
    this.#store = store;
    this.#stream = stream;
    this.#ttlMs = ttlMs;
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
    const written = andThen(this.#store.append(this.#stream, all, this.#ttlMs), (offset) => {
      this.#first = undefined;
      this.#last = offset;
      return { offset, previous };
    });
    if (isPromise(written)) this.#track(written);
    return written;
  }

  #track(writing: Promise<unknown>): void {
    const onEnd = () => {
      if (this.#writing === writing) this.#writing = undefined;
    };
    this.#writing = writing;
    writing.then(onEnd, onEnd);
  }
}
