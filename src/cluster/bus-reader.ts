import type { MaybePromise } from "../lib/async/maybe-promise.ts";
import { isObject } from "../lib/json.ts";
import { readStream } from "../state/read-stream.ts";
import type { EventStore, StoredEvent } from "../state/state.ts";
import type { BusMessage, Origin } from "./bus-message.ts";
import { busStream } from "./bus-stream.ts";

const maxKnown = 1_000;

/**
 * Reads messages in their order, each once: of those that a sender has stored twice, the first counts. So all readers
 * agree, wherever they begin.
 */
export class BusReader {
  readonly #events: EventStore;
  /** The last number of each sender. */
  readonly #numbers = new Map<string, number>();
  /** The offsets that were read. */
  readonly #offsets = new Map<string, true>();

  constructor(events: EventStore) {
    this.#events = events;
  }

  /**
   * Undefined for a message that was stored before, and for one of a newer node that this one does not know. Rejects
   * when the store fails.
   */
  read({ offset, text }: StoredEvent): MaybePromise<BusMessage | undefined> {
    const { origin, ...message } = parse(text) ?? {};
    if (message.type === undefined) return undefined;
    if (origin === undefined) return message as BusMessage;
    const take = (last: number) => {
      keepRecent(this.#offsets, offset, true);
      keepRecent(this.#numbers, origin.sender, Math.max(last, origin.number));
      return origin.number > last ? (message as BusMessage) : undefined;
    };
    const last = this.#numbers.get(origin.sender) ?? (this.#offsets.has(origin.since) ? 0 : undefined);
    return last === undefined ? this.#findLast(origin, offset).then(take) : take(last);
  }

  /** The last number that a sender has stored before an offset, as far as it may be the same message or a later one. */
  async #findLast({ sender, since }: Origin, before: string): Promise<number> {
    let last = 0;
    for await (const { offset, text } of readStream(this.#events, busStream, since)) {
      if (offset === before) return last;
      const origin = text.includes(sender) ? parse(text)?.origin : undefined;
      if (origin?.sender === sender) last = Math.max(last, origin.number);
    }
    // It was dropped meanwhile, with all that was before it.
    return 0;
  }
}

type Parsed = Partial<BusMessage> & { readonly origin?: Origin };

/** A text that can't be read must not keep a node from those after it. */
function parse(text: string): Parsed | undefined {
  try {
    const message: unknown = JSON.parse(text);
    return isObject(message) && typeof message.type === "string" ? (message as Parsed) : undefined;
  } catch {
    return undefined;
  }
}

function keepRecent<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > maxKnown && oldest !== undefined) map.delete(oldest);
}
