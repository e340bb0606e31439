import type { MaybePromise } from "../lib/async/maybe-promise.ts";
import { BoundedMap } from "../lib/bounded/bounded-map.ts";
import { isObject } from "../lib/json.ts";
import { readStream } from "../state/read-stream.ts";
import type { EventStore, StoredEvent } from "../state/state.ts";
import { type BusMessage, busStream, type EventOrigin } from "./bus-message.ts";

const maxKnown = 1_000;

/**
 * Reads messages in their order, each once: of those that a sender has stored twice, the first counts. So all readers
 * agree, wherever they begin.
 */
export class BusReader {
  readonly #events: EventStore;
  /** The last number of each sender. */
  readonly #numbers = new BoundedMap<string, number>(maxKnown);
  /** The offsets that were read. */
  readonly #offsets = new BoundedMap<string, true>(maxKnown);

  constructor(events: EventStore) {
    this.#events = events;
  }

  /**
   * Undefined for a message that was stored before, and for one of a newer node that this one does not know. Rejects
   * when the store fails.
   */
  read(event: StoredEvent): MaybePromise<BusMessage | undefined> {
    const { offset } = event;
    const { origin, ...message } = parse(event) ?? {};
    if (message.type === undefined) return undefined;
    if (origin === undefined) return message as BusMessage;
    const take = (last: number) => {
      this.#offsets.set(offset, true);
      this.#numbers.set(origin.sender, Math.max(last, origin.number));
      return origin.number > last ? (message as BusMessage) : undefined;
    };
    const last = this.#numbers.get(origin.sender) ?? (this.#offsets.has(origin.since) ? 0 : undefined);
    return last === undefined ? this.#findLast(origin, offset).then(take) : take(last);
  }

  /**
   * The last number that a sender stored before an offset; 0 where it stored none since it sent this message. Only a
   * copy of the message, or a later one, can lie there.
   */
  async #findLast({ sender, since }: EventOrigin, before: string): Promise<number> {
    let last = 0;
    for await (const event of readStream(this.#events, busStream, since)) {
      if (event.offset === before) return last;
      const origin = parse(event, sender)?.origin;
      if (origin?.sender === sender) last = Math.max(last, origin.number);
    }
    // The message was dropped meanwhile, with all that was stored before it.
    return 0;
  }
}

type Parsed = Partial<BusMessage> & { readonly origin?: EventOrigin };

/** The message of an event that has some word. A text that can't be read must not keep a node from those after it. */
function parse(event: StoredEvent, word = ""): Parsed | undefined {
  try {
    const { text } = event;
    if (!text.includes(word)) return undefined;
    const message: unknown = JSON.parse(text);
    return isObject(message) && typeof message.type === "string" ? (message as Parsed) : undefined;
  } catch {
    return undefined;
  }
}
