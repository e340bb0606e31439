import type { EventStore, SessionStore, State, StoredEvent, StoredSession } from "../state.ts";
import { MemoryCounters } from "./counters.ts";
import { MemoryTasks } from "./tasks.ts";
import { MemoryValues } from "./values.ts";

export interface MemoryLimits {
  /** Events kept of one stream. Default 10,000. */
  readonly maxEvents?: number;
  /** Characters kept of one stream. Default 1,048,576. */
  readonly maxChars?: number;
  /** Characters kept of all streams together; the oldest streams lose theirs first. Default 67,108,864. */
  readonly maxTotalChars?: number;
  /** Values, and counters, kept at once. What would be one more is refused, since to forget a spent nonce is to let it be spent again. Default 1,000,000. */
  readonly maxValues?: number;
  /** Characters of all values together. What would be more is refused. Default 67,108,864. */
  readonly maxValueChars?: number;
  /** Tasks kept at once, until their time to live is over. What would be one more is refused. Default 10,000. */
  readonly maxTasks?: number;
  /** Characters of all tasks together: what calls and answers bring, and what comes of them. Calls and answers that would be more are refused. Default 67,108,864. */
  readonly maxTaskChars?: number;
}

/** State of one process, gone with it. */
export function memoryState(limits: MemoryLimits = {}): State {
  const { maxValues = 1_000_000, maxValueChars = 64 * 1024 ** 2, maxTasks = 10_000 } = limits;
  const { maxTaskChars = 64 * 1024 ** 2 } = limits;
  return {
    isShared: false,
    sessions: new MemorySessions(),
    events: new MemoryEvents(limits),
    values: new MemoryValues({ maxValues, maxValueChars }),
    counters: new MemoryCounters(maxValues),
    tasks: new MemoryTasks({ maxTasks, maxTaskChars }),
  };
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
  /** Those that hold events, oldest first. */
  readonly #holding = new Set<Kept>();
  readonly #limits: Required<Pick<MemoryLimits, "maxEvents" | "maxChars" | "maxTotalChars">>;
  #chars = 0;

  constructor({ maxEvents = 10_000, maxChars = 1024 ** 2, maxTotalChars = 64 * 1024 ** 2 }: MemoryLimits) {
    this.#limits = { maxEvents, maxChars, maxTotalChars };
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
  #trim(kept: Kept): void {
    const { maxEvents, maxChars } = this.#limits;
    while (kept.events.length > 1 && (kept.events.length > maxEvents || kept.chars > maxChars)) {
      const chars = kept.events.shift()?.text.length ?? 0;
      kept.chars -= chars;
      this.#chars -= chars;
    }
  }

  #trimOthers(newest: Kept): void {
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
