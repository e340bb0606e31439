import type { EventStore, SessionStore, State, StoredEvent, StoredSession } from "./state.ts";

export interface MemoryLimits {
  /** Events kept of one stream. Default 1,000. */
  readonly maxEvents?: number;
  /** Characters kept of one stream. Default 1,048,576. */
  readonly maxChars?: number;
}

/** State of one process, gone with it. */
export function memoryState(limits: MemoryLimits = {}): State {
  return { sessions: new MemorySessions(), events: new MemoryEvents(limits) };
}

class MemorySessions implements SessionStore {
  readonly #sessions = new Map<string, StoredSession>();

  put(session: StoredSession): void {
    this.#sessions.set(session.id, session);
  }

  find(id: string): StoredSession | undefined {
    return this.#sessions.get(id);
  }

  remove(id: string): void {
    this.#sessions.delete(id);
  }
}

interface Kept {
  readonly events: StoredEvent[];
  chars: number;
  last: number;
}

class MemoryEvents implements EventStore {
  readonly #streams = new Map<string, Kept>();
  readonly #maxEvents: number;
  readonly #maxChars: number;

  constructor({ maxEvents = 1000, maxChars = 1024 * 1024 }: MemoryLimits) {
    this.#maxEvents = maxEvents;
    this.#maxChars = maxChars;
  }

  append(stream: string, text: string): number {
    const kept = this.#streams.get(stream) ?? { events: [], chars: 0, last: 0 };
    this.#streams.set(stream, kept);
    kept.events.push({ sequence: ++kept.last, text });
    kept.chars += text.length;
    // The newest event stays, however long it is: it may be the answer.
    while (kept.events.length > 1 && (kept.events.length > this.#maxEvents || kept.chars > this.#maxChars)) {
      kept.chars -= kept.events.shift()?.text.length ?? 0;
    }
    return kept.last;
  }

  after(stream: string, sequence: number): readonly StoredEvent[] | undefined {
    const kept = this.#streams.get(stream);
    if (kept === undefined) return sequence === 0 ? [] : undefined;
    if (sequence > kept.last) return undefined;
    const oldest = kept.events[0]?.sequence ?? kept.last + 1;
    if (sequence + 1 < oldest) return undefined;
    return kept.events.filter((event) => event.sequence > sequence);
  }

  remove(stream: string): void {
    this.#streams.delete(stream);
  }
}
