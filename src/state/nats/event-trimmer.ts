import { RecentMap } from "../../lib/bounded/recent-map.ts";
import { bytesOf } from "./jetstream/payload.ts";
import { scan } from "./jetstream/scan.ts";
import type { NatsStore } from "./jetstream/store.ts";

/** The streams whose growth is counted. Others are not trimmed by this node until they grow again. */
const maxCounted = 10_000;
const countedMs = 60 * 60_000;

/** Drops the oldest events of a stream with too many bytes; JetStream itself limits only their number. */
export class EventTrimmer {
  readonly #store: NatsStore;
  readonly #grown = new RecentMap<number>(maxCounted);

  constructor(store: NatsStore) {
    this.#store = store;
  }

  /** Counts what this node appends. Looks at the whole stream each time that this is a quarter of what it may hold. */
  add(subject: string, bytes: number): void {
    const grown = (this.#grown.get(subject) ?? 0) + bytes;
    const isDue = grown >= this.#store.options.maxStreamBytes / 4;
    this.#grown.set(subject, isDue ? 0 : grown, countedMs);
    // The stream stays too long until the next time; the event itself is stored.
    if (isDue) this.#trim(subject).catch(() => {});
  }

  async #trim(subject: string): Promise<void> {
    const { jetstream, options } = this.#store;
    const stream = this.#store.stream("events");
    const all = await scan(jetstream, stream, {
      subject,
      from: 1,
      limit: options.maxEvents,
      headersOnly: true,
    });
    let bytes = 0;
    const firstToDrop = all.findLastIndex((message, at) => {
      bytes += bytesOf(message);
      return bytes > options.maxStreamBytes && at < all.length - 1;
    });
    const firstToKeep = all[firstToDrop + 1];
    if (firstToDrop >= 0 && firstToKeep) await jetstream.purge(stream, subject, firstToKeep.sequence);
  }
}
