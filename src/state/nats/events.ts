import { parseStored } from "../parse-stored.ts";
import { ifReadable } from "../readable/if-readable.ts";
import type { EventStore, StoredEvent } from "../state.ts";
import { streamStart } from "../state.ts";
import { EventTrimmer } from "./event-trimmer.ts";
import { Payloads } from "./jetstream/payload.ts";
import { scan } from "./jetstream/scan.ts";
import type { NatsStore } from "./jetstream/store.ts";
import type { StoredMessage } from "./jetstream/stored-message.ts";
import { expiresHeader, expiryOf } from "./records.ts";

/** A place in a stream: the sequence of a message, and how many of its texts come before. */
interface Place {
  readonly sequence: number;
  readonly texts: number;
}

/** Stands for the events of a message that can't be read: a text in a format that no version knows. */
const unreadableText = "?";

const allTexts = Number.POSITIVE_INFINITY;

/** The most messages that one read takes. */
const maxMessages = 100_000;
/** The messages that are read at once, as a multiple of those whose texts were counted: one has a single text, or many. */
const readFactor = 64;

/** A message with its texts. */
interface ReadMessage {
  readonly message: StoredMessage;
  readonly texts: readonly string[];
}

/** Streams of events: a subject for each, a message for each append. */
export class NatsEvents implements EventStore {
  readonly #store: NatsStore;
  readonly #stream: string;
  readonly #payloads: Payloads;
  readonly #trimmer: EventTrimmer;

  constructor(store: NatsStore) {
    this.#store = store;
    this.#stream = store.stream("events");
    this.#payloads = new Payloads(store, "events");
    this.#trimmer = new EventTrimmer(store);
  }

  append(stream: string, texts: readonly string[], ttlMs: number): Promise<string> {
    if (texts.length === 0) return this.last(stream);
    return this.#store.run(async () => {
      const subject = this.#subject(stream);
      const text = JSON.stringify(texts);
      const { bytes, headers } = await this.#payloads.write(text);
      const expiresAt = this.#store.clock.now() + ttlMs;
      const all = { ...headers, [expiresHeader]: String(expiresAt) };
      const sequence = await this.#store.jetstream.publish(subject, bytes, { headers: all });
      if (sequence === undefined) throw new Error("JetStream stored no event.");
      // A hint that gets lost is made up for by the next look.
      this.#store.jetstream.connection.publish(this.#hint(stream), "").catch(() => {});
      this.#trimmer.add(subject, text.length);
      return String(sequence);
    });
  }

  after(
    stream: string,
    offset: string,
    limit: number = Number.POSITIVE_INFINITY,
  ): Promise<readonly StoredEvent[] | undefined> {
    const place = toPlace(offset);
    if (place === undefined) return Promise.resolve(undefined);
    return this.#store.run(() => this.#after(this.#subject(stream), place, limit));
  }

  async holds(stream: string, offset: string): Promise<boolean> {
    const place = toPlace(offset);
    if (place === undefined || offset === streamStart) return offset === streamStart;
    const { jetstream } = this.#store;
    const subject = this.#subject(stream);
    const found = await this.#store.run(() => jetstream.next(this.#stream, subject, place.sequence));
    return found?.sequence === place.sequence && expiryOf(found) > this.#store.clock.now();
  }

  async last(stream: string): Promise<string> {
    const message = await this.#store.run(() => this.#last(this.#subject(stream)));
    return message ? String(message.sequence) : streamStart;
  }

  async remove(stream: string): Promise<void> {
    await this.#store.run(() => this.#store.jetstream.purge(this.#stream, this.#subject(stream)));
  }

  watch(stream: string, listener: () => void): () => void {
    return this.#store.jetstream.connection.subscribe(this.#hint(stream), () => listener());
  }

  async #after(subject: string, place: Place, limit: number): Promise<readonly StoredEvent[] | undefined> {
    const last = await this.#last(subject);
    if (last === undefined) return place.sequence === 0 ? [] : undefined;
    if (place.sequence > last.sequence) return undefined;
    if (place.sequence === last.sequence) return this.#eventsOfLast(last, place, limit);
    const read = sinceExpiry(await this.#readFrom(subject, place, last, limit));
    const events = read.flatMap(({ message, texts }) =>
      toEvents(message, texts, message.sequence === place.sequence ? place.texts : 0),
    );
    return events.slice(0, limit);
  }

  /** The last message of a stream, unless the stream has expired with it. */
  async #last(subject: string): Promise<StoredMessage | undefined> {
    const last = await this.#store.jetstream.last(this.#stream, subject);
    return last && expiryOf(last) > this.#store.clock.now() ? last : undefined;
  }

  async #eventsOfLast(
    last: StoredMessage,
    { texts: before }: Place,
    limit: number,
  ): Promise<readonly StoredEvent[] | undefined> {
    if (before === allTexts) return [];
    const texts = await this.#textsOf(last);
    if (texts === undefined || before > texts.length) return undefined;
    return toEvents(last, texts, before).slice(0, limit);
  }

  /** The messages from a place on, as many as have the texts. Most readers are near the end, and need no consumer. */
  async #readFrom(
    subject: string,
    { sequence, texts: skipped }: Place,
    last: StoredMessage,
    limit: number,
  ): Promise<readonly ReadMessage[]> {
    const { jetstream } = this.#store;
    const from = skipped === allTexts ? sequence + 1 : sequence;
    const first = await jetstream.next(this.#stream, subject, from);
    if (first === undefined || first.sequence >= last.sequence) return [await this.#read(last)];
    const wanted = skipped === allTexts ? limit : limit + skipped;
    const read = [await this.#read(first)];
    for (let next = first.sequence + 1; ; ) {
      const texts = read.reduce((sum, one) => sum + one.texts.length, 0);
      if (texts >= wanted) return read;
      const most = messagesFor(wanted - texts, read.length, texts);
      const messages = await scan(jetstream, this.#stream, { subject, from: next, limit: most });
      for (const message of messages) read.push(await this.#read(message));
      const end = messages.at(-1);
      if (end === undefined || end.pending === 0) return read;
      next = end.sequence + 1;
    }
  }

  async #read(message: StoredMessage): Promise<ReadMessage> {
    // Its parts go with a message that was dropped meanwhile.
    return { message, texts: (await this.#textsOf(message)) ?? [] };
  }

  async #textsOf(message: StoredMessage): Promise<readonly string[] | undefined> {
    const text = await this.#payloads.read(message);
    if (text === undefined) return undefined;
    const texts = ifReadable(() => parseStored(text));
    return isTextList(texts) ? texts : [unreadableText];
  }

  #subject(stream: string): string {
    return this.#store.subject("events", "stream", stream);
  }

  #hint(stream: string): string {
    return this.#store.hintSubject("event", stream);
  }
}

/** The messages without those of a stream that had expired before it began again, and that nobody has swept yet. */
function sinceExpiry(messages: readonly ReadMessage[]): readonly ReadMessage[] {
  const start = messages.findLastIndex(({ message }, at) => {
    const before = messages[at - 1]?.message;
    return before !== undefined && expiryOf(before) <= message.time;
  });
  return messages.slice(Math.max(0, start));
}

function isTextList(texts: unknown): texts is string[] {
  return Array.isArray(texts) && texts.every((text) => typeof text === "string");
}

/** The messages to read for so many texts, by those that were read before. */
function messagesFor(texts: number, read: number, readTexts: number): number {
  const needed = Math.ceil((texts * read) / Math.max(1, readTexts));
  return texts === Number.POSITIVE_INFINITY ? maxMessages : Math.min(needed, read * readFactor, maxMessages);
}

/** The events of a message; the offset of the last one is that of the message. */
function toEvents({ sequence }: StoredMessage, texts: readonly string[], skipped: number): StoredEvent[] {
  const events = texts.map((text, at): StoredEvent => {
    return { offset: at === texts.length - 1 ? `${sequence}` : `${sequence}_${at + 1}`, text };
  });
  return events.slice(skipped);
}

function toPlace(offset: string): Place | undefined {
  if (offset === streamStart) return { sequence: 0, texts: allTexts };
  const [, sequence, texts] = /^([1-9]\d{0,14})(?:_([1-9]\d{0,8}))?$/.exec(offset) ?? [];
  if (sequence === undefined) return undefined;
  return { sequence: Number(sequence), texts: texts === undefined ? allTexts : Number(texts) };
}
