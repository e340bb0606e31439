import { isObject } from "../../lib/json.ts";
import { parseStored } from "../parse-stored.ts";
import { ifReadable } from "../readable/if-readable.ts";
import type { CounterStore, CounterValue } from "../state.ts";
import type { Records } from "./records.ts";

interface Waiting {
  readonly by: number;
  readonly windowMs: number;
  resolve(value: CounterValue): void;
  reject(error: unknown): void;
}

/** Counters. What one node counts while it waits for the store is written together. */
export class NatsCounters implements CounterStore {
  readonly #records: Records;
  readonly #waiting = new Map<string, Waiting[]>();

  constructor(records: Records) {
    this.#records = records;
  }

  count(key: string, by: number, windowMs: number): Promise<CounterValue> {
    return new Promise((resolve, reject) => {
      const one = { by, windowMs, resolve, reject };
      const others = this.#waiting.get(key);
      if (others) return void others.push(one);
      this.#waiting.set(key, [one]);
      void this.#countAll(key);
    });
  }

  async #countAll(key: string): Promise<void> {
    let group: readonly Waiting[] = [];
    try {
      const counted = await this.#records.update(
        this.#records.store.subject("state", "counter", key),
        (record) => {
          group = [...group, ...(this.#waiting.get(key) ?? []).slice(group.length)];
          return this.#add(group, record?.text);
        },
      );
      this.#endTurn(key, group);
      for (const [at, { resolve }] of group.entries()) resolve(counted[at] as CounterValue);
    } catch (error) {
      const all = this.#waiting.get(key) ?? [];
      this.#waiting.delete(key);
      for (const { reject } of all) reject(error);
    }
  }

  #add(group: readonly Waiting[], text: string | undefined) {
    const now = this.#records.store.clock.now();
    const known = text === undefined ? undefined : readCounter(text);
    let count = known?.count ?? 0;
    const resetsAt = known?.resetsAt ?? now + (group[0]?.windowMs ?? 0);
    const outcome = group.map(({ by }): CounterValue => {
      count += by;
      return { count, resetsInMs: Math.max(0, resetsAt - now) };
    });
    return { change: { text: JSON.stringify({ count, resetsAt }), expiresAt: resetsAt }, outcome };
  }

  /** Goes on with those that came while this group was written. */
  #endTurn(key: string, group: readonly Waiting[]): void {
    const left = (this.#waiting.get(key) ?? []).slice(group.length);
    if (left.length === 0) return void this.#waiting.delete(key);
    this.#waiting.set(key, left);
    void this.#countAll(key);
  }
}

/** A counter that is stored. One that can't be read begins again: nobody could be counted until it expires. */
function readCounter(text: string): { readonly count: number; readonly resetsAt: number } | undefined {
  const found = ifReadable(() => parseStored(text));
  if (!isObject(found)) return undefined;
  const { count, resetsAt } = found;
  return typeof count === "number" && typeof resetsAt === "number" ? { count, resetsAt } : undefined;
}
