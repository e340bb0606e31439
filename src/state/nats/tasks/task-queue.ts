import { scanHeaders } from "../jetstream/scan.ts";
import { anyKey, lastKeyOf, type NatsStore } from "../jetstream/store.ts";
import type { StoredMessage } from "../jetstream/stored-message.ts";
import { expiresHeader, expiryOf } from "../records.ts";

const leaseHeader = "Allspeak-Leased-Until";

/** The time for which an entry may be there before its task is ready to be claimed. */
const settlingMs = 60_000;

/** A task that waits, or that a worker has, at its place in the queue. */
export interface QueueEntry {
  readonly id: string;
  readonly sequence: number;
  readonly leasedUntil: number;
}

/** The first entries of a queue, which workers have until some time at least. */
interface Leased {
  readonly upTo: number;
  readonly until: number;
}

/**
 * The order in which tasks wait: one message for each, at the end of the queue whenever it is written.
 *
 * The truth is in the records of tasks; an entry that disagrees is put right by the worker that finds it.
 */
export class TaskQueue {
  readonly #store: NatsStore;
  readonly #stream: string;
  readonly #leased = new Map<string, Leased>();

  constructor(store: NatsStore) {
    this.#store = store;
    this.#stream = store.stream("queue");
  }

  /** Puts a task at the end; if a sequence is `expected`, only if that is still its place. */
  async put(
    queue: string,
    id: string,
    entry: { leasedUntil: number; expiresAt: number; expected?: number },
  ): Promise<void> {
    const { leasedUntil, expiresAt, expected } = entry;
    const headers = { [leaseHeader]: `${leasedUntil}`, [expiresHeader]: `${expiresAt}` };
    await this.#store.jetstream.publish(this.#subject(queue, id), "", { headers, expected });
  }

  /** The place of a task; 0 if it has none. */
  async placeOf(queue: string, id: string): Promise<number> {
    return (await this.#store.jetstream.last(this.#stream, this.#subject(queue, id)))?.sequence ?? 0;
  }

  async remove(sequence: number): Promise<void> {
    if (sequence > 0) await this.#store.jetstream.delete(this.#stream, sequence);
  }

  /**
   * The first entry that no worker has and that `take` accepts; `take` returns undefined for one that it does not.
   *
   * Entries that workers have are passed over without a look as long as their leases last.
   */
  async first<T>(queue: string, take: (entry: QueueEntry) => Promise<T | undefined>): Promise<T | undefined> {
    const now = this.#store.clock.now();
    const known = this.#leased.get(queue);
    let leased = known && known.until > now ? known : { upTo: 0, until: Number.POSITIVE_INFINITY };
    let isLeasedSoFar = true;
    for await (const message of this.#from(queue, leased.upTo + 1)) {
      const entry = toEntry(message);
      if (entry.leasedUntil > this.#store.clock.now()) {
        if (!isLeasedSoFar) continue;
        leased = { upTo: entry.sequence, until: Math.min(leased.until, entry.leasedUntil) };
        this.#leased.set(queue, leased);
        continue;
      }
      const taken = await take(entry);
      if (taken !== undefined) return taken;
      isLeasedSoFar = false;
      await this.#removeIfStale(message);
    }
    if (leased.upTo === 0) this.#leased.delete(queue);
    return undefined;
  }

  /** The entries from a place on: one read for the first, and a scan if that is not enough. */
  async *#from(queue: string, from: number): AsyncGenerator<StoredMessage> {
    const { jetstream } = this.#store;
    const subject = this.#store.subject("queue", "task", queue, anyKey);
    const first = await jetstream.next(this.#stream, subject, from);
    if (first === undefined) return;
    yield first;
    yield* scanHeaders(jetstream, this.#stream, { subject, from: first.sequence + 1, pageSize: 256 });
  }

  /** An entry is written before its task is ready, so that no task is without one; only an old one is wrong. */
  async #removeIfStale(message: StoredMessage): Promise<void> {
    const now = this.#store.clock.now();
    if (expiryOf(message) > now && message.time + settlingMs > now) return;
    await this.remove(message.sequence);
  }

  #subject(queue: string, id: string): string {
    return this.#store.subject("queue", "task", queue, id);
  }
}

function toEntry(message: StoredMessage): QueueEntry {
  return {
    id: lastKeyOf(message.subject),
    sequence: message.sequence,
    leasedUntil: Number(message.header(leaseHeader)),
  };
}
