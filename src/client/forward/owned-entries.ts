import { type HolderSource, toHolder } from "../../contract/caller/holder.ts";
import { toOwner } from "../../contract/caller/principal.ts";
import { runLater } from "../../lib/async/timers.ts";
import { FairRoom } from "../../lib/bounded/fair-room.ts";
import { randomToken } from "../../lib/encoding/random-token.ts";

interface Entry<T> {
  readonly owner: string;
  /** The one that its place counts for: callers without a principal are distinguished by their addresses. */
  readonly holder: string;
  readonly value: T;
  readonly timer: ReturnType<typeof setTimeout>;
  /** The bytes of one that has ended, and is kept only as long as there is room for it. */
  endedBytes?: number;
  /** True if its owner has seen how it ended. */
  wasRead?: boolean;
}

/** The room for entries that have ended. */
export interface EndedRoom {
  readonly count: number;
  readonly bytes: number;
}

/** Values that belong to owners for a time. Those of another owner are as unknown as those that never were. */
export class OwnedEntries<T> {
  readonly #entries = new Map<string, Entry<T>>();
  readonly #room: FairRoom;
  readonly #ended: EndedRoom;
  readonly #onExpired: (value: T) => void;

  constructor(max: number, onExpired: (value: T) => void, ended: EndedRoom = { count: 0, bytes: 0 }) {
    this.#room = new FairRoom(max);
    this.#ended = ended;
    this.#onExpired = onExpired;
  }

  /** Keeps a value of a caller for as long as `lifeMs`; returns its id, or undefined if the caller finds no room. */
  add(caller: HolderSource, value: T, lifeMs: number): string | undefined {
    const holder = toHolder(caller);
    if (!this.#room.take(1, holder)) return undefined;
    const id = randomToken();
    const timer = runLater(() => {
      this.#drop(id);
      this.#onExpired(value);
    }, lifeMs);
    this.#entries.set(id, { owner: toOwner(caller.principal), holder, value, timer });
    return id;
  }

  /** Takes note that an entry has ended: it makes room for those that have not. */
  end(id: string, bytes: number): void {
    const entry = this.#entries.get(id);
    if (entry === undefined || entry.endedBytes !== undefined) return;
    entry.endedBytes = bytes;
    this.#room.giveBack(1, entry.holder);
    for (let next = this.#findSurplus(); next !== undefined; next = this.#findSurplus()) this.#drop(next);
  }

  /** Takes note that the owner of an entry has seen how it ended. */
  markRead(id: string): void {
    const entry = this.#entries.get(id);
    if (entry?.endedBytes !== undefined) entry.wasRead = true;
  }

  /** The oldest ended entry of the largest holder, if possible one that was read, where there is no room for all of them. */
  #findSurplus(): string | undefined {
    const holders = new Map<string, { readonly oldest: string; oldestRead?: string; share: number }>();
    let [count, all] = [0, 0];
    for (const [id, { holder, endedBytes: bytes, wasRead }] of this.#entries) {
      if (bytes === undefined) continue;
      count++;
      all += bytes;
      const held = holders.get(holder) ?? { oldest: id, share: 0 };
      if (wasRead) held.oldestRead ??= id;
      held.share += 1 / this.#ended.count + bytes / this.#ended.bytes;
      holders.set(holder, held);
    }
    if (count <= this.#ended.count && all <= this.#ended.bytes) return undefined;
    const { oldest, oldestRead } = [...holders.values()].reduce((most, each) =>
      each.share > most.share ? each : most,
    );
    return oldestRead ?? oldest;
  }

  get(owner: string, id: unknown): T | undefined {
    const entry = this.#entries.get(String(id));
    return entry?.owner === owner ? entry.value : undefined;
  }

  /** The values of an owner, with their ids, oldest first. */
  of(owner: string): readonly (readonly [id: string, value: T])[] {
    return [...this.#entries].flatMap(([id, entry]) =>
      entry.owner === owner ? [[id, entry.value] as const] : [],
    );
  }

  /** Takes a value out. */
  take(owner: string, id: unknown): T | undefined {
    const value = this.get(owner, id);
    if (value !== undefined) this.#drop(String(id));
    return value;
  }

  /** Takes all values out. */
  clear(): readonly T[] {
    const values = [...this.#entries.values()].map(({ value }) => value);
    for (const id of [...this.#entries.keys()]) this.#drop(id);
    return values;
  }

  #drop(id: string): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    clearTimeout(entry.timer);
    this.#entries.delete(id);
    if (entry.endedBytes === undefined) this.#room.giveBack(1, entry.holder);
  }
}
