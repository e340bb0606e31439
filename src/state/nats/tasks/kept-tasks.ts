import type { TaskRoom } from "../../task-limits.ts";
import { scanHeaders } from "../jetstream/scan.ts";
import { anyKey, lastKeyOf, type NatsStore } from "../jetstream/store.ts";
import { expiresHeader, expiryOf } from "../records.ts";

const endedHeader = "Allspeak-Ended";

interface KeptTask {
  readonly id: string;
  readonly sequence: number;
  /** The number of tasks of the same holder that ended after it, and itself. */
  readonly place: number;
}

/**
 * A message for each task under its holder, written again when the task ends, so that those that ended can be counted.
 *
 * A task whose node died before it reported the end counts as one that has not ended, until it expires.
 */
export class KeptTasks {
  readonly #store: NatsStore;

  constructor(store: NatsStore) {
    this.#store = store;
  }

  async put(
    holder: string,
    id: string,
    { expiresAt, hasEnded }: { expiresAt: number; hasEnded: boolean },
  ): Promise<void> {
    const headers = { [expiresHeader]: `${expiresAt}`, ...(hasEnded && { [endedHeader]: "1" }) };
    await this.#store.jetstream.publish(this.#store.subject("state", "kept", holder, id), "", { headers });
  }

  /** Drops those of each holder that ended longest ago, first of the holder with the most; returns how many are left. */
  async makeRoom({ target, maxEnded }: TaskRoom, drop: (id: string) => Promise<void>): Promise<number> {
    const { alive, ended } = await this.#read();
    const excess = Math.max(alive - target, ended.filter(({ place }) => place > maxEnded).length, 0);
    const gone = ended
      .sort((one, other) => other.place - one.place || one.sequence - other.sequence)
      .slice(0, excess);
    for (const { id, sequence } of gone) {
      await drop(id);
      await this.#store.jetstream.delete(this.#store.stream("state"), sequence);
    }
    return alive - gone.length;
  }

  async #read(): Promise<{ alive: number; ended: KeptTask[] }> {
    const { jetstream, clock } = this.#store;
    const endedOf = new Map<string, { readonly id: string; readonly sequence: number }[]>();
    let alive = 0;
    const subject = this.#store.subject("state", "kept", anyKey, anyKey);
    for await (const message of scanHeaders(jetstream, this.#store.stream("state"), { subject })) {
      if (expiryOf(message) <= clock.now()) continue;
      alive++;
      if (message.header(endedHeader) === "") continue;
      const holder = message.subject.slice(0, message.subject.lastIndexOf("."));
      const ofHolder = endedOf.get(holder) ?? [];
      ofHolder.push({ id: lastKeyOf(message.subject), sequence: message.sequence });
      endedOf.set(holder, ofHolder);
    }
    const ended = [...endedOf.values()].flatMap((ofHolder) =>
      ofHolder.map((task, at) => ({ ...task, place: ofHolder.length - at })),
    );
    return { alive, ended };
  }
}
