import { type EventStore, type StoredEvent, streamStart } from "../state.ts";
import { Watchers } from "./watchers.ts";

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
  /** The number of the last event. */
  last: number;
  expiresAt: number;
}

/** The number of streams at which those that have expired are looked for first. */
const firstSweepAt = 1000;

/** Events in memory. When there are too many, the session with the most loses those of its oldest stream. */
export class MemoryEvents implements EventStore {
  readonly #streams = new Map<string, StreamEvents>();
  readonly #holders = new Map<string, Holder>();
  readonly #limits: EventLimits;
  readonly #watchers = new Watchers();
  #chars = 0;
  /** The greatest number of a stream that is gone: no number comes twice. */
  #lastGone = 0;
  #sweepAt = firstSweepAt;

  constructor(limits: EventLimits) {
    this.#limits = limits;
  }

  append(stream: string, texts: readonly string[], ttlMs: number): string {
    const kept = this.#find(stream) ?? this.#create(stream);
    kept.expiresAt = Date.now() + ttlMs;
    const holder = this.#holderOf(kept);
    holder.streams.add(kept);
    for (const text of texts) {
      kept.events.push({ offset: String(++kept.last), text });
      this.#weigh(holder, kept, text.length);
    }
    this.#trim(holder, kept);
    while (this.#chars > this.#limits.maxTotalChars && this.#trimLargest(kept));
    this.#watchers.notify(stream);
    return String(kept.last);
  }

  after(stream: string, offset: string, limit?: number): readonly StoredEvent[] | undefined {
    const kept = this.#find(stream);
    const last = kept?.last ?? 0;
    const number = offset === streamStart ? 0 : toNumber(offset);
    if (number === undefined || number > last) return undefined;
    if (kept === undefined) return [];
    const start = Math.max(0, kept.events.length - (last - number));
    return kept.events.slice(start, limit === undefined ? undefined : start + limit);
  }

  holds(stream: string, offset: string): boolean {
    const { events = [], last = 0 } = this.#find(stream) ?? {};
    const number = toNumber(offset) ?? Number.POSITIVE_INFINITY;
    return offset === streamStart || (number <= last && number > last - events.length);
  }

  last(stream: string): string {
    return String(this.#find(stream)?.last ?? streamStart);
  }

  remove(stream: string): void {
    const kept = this.#streams.get(stream);
    if (kept) this.#drop(stream, kept);
  }

  watch(stream: string, listener: () => void): () => void {
    return this.#watchers.add(stream, listener);
  }

  #find(stream: string): StreamEvents | undefined {
    const kept = this.#streams.get(stream);
    if (kept === undefined || kept.expiresAt > Date.now()) return kept;
    this.#drop(stream, kept);
    return undefined;
  }

  #create(stream: string): StreamEvents {
    if (this.#streams.size >= this.#sweepAt) this.#sweep();
    const created = createStream(stream, this.#lastGone);
    this.#streams.set(stream, created);
    return created;
  }

  #drop(stream: string, kept: StreamEvents): void {
    this.#lastGone = Math.max(this.#lastGone, kept.last);
    this.#streams.delete(stream);
    this.#empty(this.#holderOf(kept), kept);
  }

  /** Sweeps, and again when there are twice as many, so that the cost of a sweep is spread over all additions. */
  #sweep(): void {
    const now = Date.now();
    for (const [stream, kept] of this.#streams) if (kept.expiresAt <= now) this.#drop(stream, kept);
    this.#sweepAt = Math.max(firstSweepAt, this.#streams.size * 2);
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
function createStream(key: string, last: number): StreamEvents {
  const end = key.lastIndexOf("/");
  return { holderKey: end < 0 ? key : key.slice(0, end), events: [], chars: 0, last, expiresAt: 0 };
}

function toNumber(offset: string): number | undefined {
  return /^[1-9]\d{0,14}$/.test(offset) ? Number(offset) : undefined;
}
