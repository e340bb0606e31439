import { parseStored } from "../../parse-stored.ts";
import { ifReadable } from "../../readable/if-readable.ts";
import type { Records } from "../records.ts";

/** A task that has not ended, as far as is known. */
interface OpenTask {
  readonly id: string;
  readonly expiresAt: number;
  readonly since: number;
}

/** The time within which a task is stored after its place was taken. */
const settlingMs = 10_000;

/** The tasks of each holder that have not ended, so that they can be limited. */
export class TaskHolders {
  readonly #records: Records;
  readonly #isOpen: (id: string) => Promise<boolean>;

  /** `isOpen` returns whether a task is there and has not ended. */
  constructor(records: Records, isOpen: (id: string) => Promise<boolean>) {
    this.#records = records;
    this.#isOpen = isOpen;
  }

  /** Takes a place for a task; returns false if its holder has `max`. */
  reserve(
    holder: string,
    id: string,
    { expiresAt, max }: { expiresAt: number; max: number },
  ): Promise<boolean> {
    return this.#records.update<boolean>(this.#subject(holder), async (record) => {
      const now = this.#records.store.clock.now();
      let open = this.#read(record?.text, now);
      if (open.length >= max) open = await this.#withoutEnded(open, now);
      if (open.length >= max) return { outcome: false };
      return { change: toChange([...open, { id, expiresAt, since: now }]), outcome: true };
    });
  }

  async release(holder: string, id: string): Promise<void> {
    await this.#records.update<void>(this.#subject(holder), (record) => {
      const open = this.#read(record?.text, this.#records.store.clock.now());
      const left = open.filter((task) => task.id !== id);
      return left.length === open.length
        ? { outcome: undefined }
        : { change: toChange(left), outcome: undefined };
    });
  }

  /** Leaves out tasks whose node ended before it could report their end. */
  async #withoutEnded(open: readonly OpenTask[], now: number): Promise<readonly OpenTask[]> {
    const isKept = await Promise.all(
      open.map(async ({ id, since }) => since + settlingMs > now || (await this.#isOpen(id))),
    );
    return open.filter((_, at) => isKept[at]);
  }

  #read(text: string | undefined, now: number): readonly OpenTask[] {
    const all = text === undefined ? [] : ifReadable(() => parseStored(text));
    // A list that can't be read is begun anew: its tasks expire, and its holder is not to wait until then.
    return Array.isArray(all) ? (all as OpenTask[]).filter((task) => task?.expiresAt > now) : [];
  }

  #subject(holder: string): string {
    return this.#records.store.subject("state", "holder", holder);
  }
}

function toChange(open: readonly OpenTask[]) {
  return { text: JSON.stringify(open), expiresAt: Math.max(0, ...open.map(({ expiresAt }) => expiresAt)) };
}
