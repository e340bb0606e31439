import type { EventStore, StoredEvent } from "../state.ts";

export interface EventLimits {
  readonly maxEvents: number;
  readonly maxChars: number;
  readonly maxTotalChars: number;
}

/** A session, with its streams that hold events, oldest first. */
interface Holder {
  readonly key: string;
  readonly streams: Set<StreamEvents>;
  chars: number;
}

/** The events of one stream. */
interface StreamEvents {
  readonly holderKey: string;
  readonly events: StoredEvent[];
  chars: number;
  last: number;
}

/** Events in memory. When there are too many, the session with the most loses those of its oldest stream. */
export class MemoryEvents implements EventStore {
  readonly #streams = new Map<string, StreamEvents>();
  readonly #holders = new Map<string, Holder>();
  readonly #limits: EventLimits;
  #chars = 0;

  constructor(limits: EventLimits) {
    this.#limits = limits;
  }

  append(stream: string, text: string): number {
    const kept = this.#streams.get(stream) ?? createStream(stream);
    this.#streams.set(stream, kept);
    const holder = this.#holderOf(kept);
    holder.streams.add(kept);
    kept.events.push({ sequence: ++kept.last, text });
    this.#weigh(holder, kept, text.length);
    this.#trim(holder, kept);
    while (this.#chars > this.#limits.maxTotalChars && this.#trimLargest(kept));
    return kept.last;
  }

  after(stream: string, sequence: number): readonly StoredEvent[] | undefined {
    const kept = this.#streams.get(stream);
    const last = kept?.last ?? 0;
    if (sequence > last) return undefined;
    return kept?.events.slice(Math.max(0, kept.events.length - (last - sequence))) ?? [];
  }

  remove(stream: string): void {
    const kept = this.#streams.get(stream);
    if (kept === undefined) return;
    this.#streams.delete(stream);
    this.#empty(this.#holderOf(kept), kept);
  }

  #holderOf({ holderKey: key }: StreamEvents): Holder {
    const holder = this.#holders.get(key) ?? { key, streams: new Set(), chars: 0 };
    this.#holders.set(key, holder);
    return holder;
  }

  #weigh(holder: Holder, kept: StreamEvents, chars: number): void {
    kept.chars += chars;
    holder.chars += chars;
    this.#chars += chars;
  }

  /** The newest event stays, however long it is: it may be the answer. */
  #trim(holder: Holder, kept: StreamEvents): void {
    const { maxEvents, maxChars } = this.#limits;
    while (kept.events.length > 1 && (kept.events.length > maxEvents || kept.chars > maxChars))
      this.#shift(holder, kept);
  }

  /** Takes something from the largest holder that has more than the newest event; false when nobody has. */
  #trimLargest(newest: StreamEvents): boolean {
    let largest: Holder | undefined;
    for (const holder of this.#holders.values()) {
      const isBare = holder.streams.size === 1 && holder.streams.has(newest) && newest.events.length === 1;
      if (!isBare && (largest === undefined || holder.chars > largest.chars)) largest = holder;
    }
    if (largest === undefined) return false;
    for (const kept of largest.streams) {
      if (kept === newest) continue;
      this.#empty(largest, kept);
      return true;
    }
    this.#shift(largest, newest);
    return true;
  }

  #shift(holder: Holder, kept: StreamEvents): void {
    this.#weigh(holder, kept, -(kept.events.shift()?.text.length ?? 0));
  }

  #empty(holder: Holder, kept: StreamEvents): void {
    this.#weigh(holder, kept, -kept.chars);
    kept.events.length = 0;
    holder.streams.delete(kept);
    if (holder.streams.size === 0) this.#holders.delete(holder.key);
  }
}

/** An empty stream. The key of one of a session begins with the session, before a slash. */
function createStream(key: string): StreamEvents {
  const end = key.lastIndexOf("/");
  return { holderKey: end < 0 ? key : key.slice(0, end), events: [], chars: 0, last: 0 };
}
