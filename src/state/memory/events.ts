import type { EventStore, StoredEvent } from "../state.ts";

export interface EventLimits {
  readonly maxEvents: number;
  readonly maxChars: number;
  readonly maxTotalChars: number;
}

/** The events of one stream. */
interface StreamEvents {
  readonly events: StoredEvent[];
  chars: number;
  last: number;
}

export class MemoryEvents implements EventStore {
  readonly #streams = new Map<string, StreamEvents>();
  /** The streams that hold events, oldest first. */
  readonly #holding = new Set<StreamEvents>();
  readonly #limits: EventLimits;
  #chars = 0;

  constructor(limits: EventLimits) {
    this.#limits = limits;
  }

  append(stream: string, text: string): number {
    const kept = this.#streams.get(stream) ?? { events: [], chars: 0, last: 0 };
    this.#streams.set(stream, kept);
    this.#holding.add(kept);
    kept.events.push({ sequence: ++kept.last, text });
    kept.chars += text.length;
    this.#chars += text.length;
    this.#trim(kept);
    if (this.#chars > this.#limits.maxTotalChars) this.#trimOthers(kept);
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
    this.#holding.delete(kept);
    this.#chars -= kept.chars;
  }

  /** The newest event stays, however long it is: it may be the answer. */
  #trim(kept: StreamEvents): void {
    const { maxEvents, maxChars } = this.#limits;
    while (kept.events.length > 1 && (kept.events.length > maxEvents || kept.chars > maxChars)) {
      const chars = kept.events.shift()?.text.length ?? 0;
      kept.chars -= chars;
      this.#chars -= chars;
    }
  }

  #trimOthers(newest: StreamEvents): void {
    for (const kept of this.#holding) {
      if (this.#chars <= this.#limits.maxTotalChars) return;
      if (kept === newest) continue;
      this.#holding.delete(kept);
      this.#chars -= kept.chars;
      kept.chars = 0;
      kept.events.length = 0;
    }
  }
}
