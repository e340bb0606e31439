import type { BusMessage } from "./bus-message.ts";

export interface RecentMessage {
  readonly offset: string;
  readonly message: BusMessage;
}

/** As many as a busy server announces in some ten seconds, so that clients that come back after a failure read from here. */
const maxMessages = 16_384;
const maxChars: number = 8 * 1024 ** 2;

/**
 * The last messages of the bus, so that streams that are up to date read nothing from the store. Places are numbers
 * that increase, since offsets can't be compared.
 */
export class RecentMessages {
  #messages: (RecentMessage & { readonly chars: number })[] = [];
  readonly #places = new Map<string, number>();
  #first = 0;
  #chars = 0;
  /** The offset before the first message. */
  #start: string | undefined;

  /** The place after the last message. */
  get end(): number {
    return this.#first + this.#messages.length;
  }

  /** Begins after an offset, without messages. */
  begin(offset: string): void {
    if (this.end === 0) this.#start = offset;
  }

  /** Forgets all messages: some between them and the next ones are missing. */
  clear(): void {
    this.#first = this.end + 1;
    this.#start = undefined;
    this.#messages = [];
    this.#places.clear();
    this.#chars = 0;
  }

  add(message: RecentMessage, chars: number): void {
    this.#places.set(message.offset, this.end);
    this.#messages.push({ ...message, chars });
    this.#chars += chars;
    if (this.#messages.length > 2 * maxMessages || this.#chars > 2 * maxChars) this.#trim();
  }

  /** The place after an offset; undefined when it is not among the last messages. */
  placeAfter(offset: string): number | undefined {
    const place = this.#places.get(offset);
    if (place !== undefined) return place + 1;
    return offset === this.#start ? this.#first : undefined;
  }

  /** The messages from a place on; undefined when some of them are gone. */
  from(place: number): readonly RecentMessage[] | undefined {
    return place < this.#first ? undefined : this.#messages.slice(place - this.#first);
  }

  /** Drops many at once, so that each costs little. */
  #trim(): void {
    let drop = 0;
    while (
      drop < this.#messages.length - 1 &&
      (this.#messages.length - drop > maxMessages || this.#chars > maxChars)
    )
      this.#chars -= this.#messages[drop++]?.chars ?? 0;
    for (const { offset } of this.#messages.slice(0, drop)) this.#places.delete(offset);
    this.#start = this.#messages[drop - 1]?.offset ?? this.#start;
    this.#messages = this.#messages.slice(drop);
    this.#first += drop;
  }
}
