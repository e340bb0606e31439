import { UsageError } from "../../errors.ts";
import type { JsonObject } from "../../lib/json.ts";

/** The results of what a handler does only once, by name; a result of nothing has no value. */
export interface OnceRecords {
  readonly [key: string]: { readonly value?: unknown };
}

/** Takes down a result before the handler gets it. */
export type SaveOnceResult = (key: string, record: JsonObject) => void | Promise<void>;

/** What one run does only once, however often it comes by. */
export class OnceResults {
  readonly #done = new Map<string, Promise<unknown>>();
  readonly #note: SaveOnceResult;

  constructor(records: OnceRecords, note: SaveOnceResult) {
    this.#note = note;
    for (const [key, record] of Object.entries(records)) this.#done.set(key, Promise.resolve(copyOf(record)));
  }

  /** Whether this was done, or is being done. */
  has(key: string): boolean {
    return this.#done.has(key);
  }

  run<T>(key: string, run: () => T | Promise<T>): Promise<T> {
    const known = this.#done.get(key);
    if (known !== undefined) return known as Promise<T>;
    const running = this.#run(key, run);
    this.#done.set(key, running);
    // What failed has not been done.
    running.catch(() => this.#done.delete(key));
    return running;
  }

  async #run<T>(key: string, run: () => T | Promise<T>): Promise<T> {
    const record = toRecord(key, await run());
    await this.#note(key, record);
    return copyOf(record) as T;
  }
}

/** The handler may change what it gets; what is kept for the next run stays as it was. */
function copyOf({ value }: { readonly value?: unknown }): unknown {
  return structuredClone(value);
}

/** A replay gets the result from JSON, so the first run does, too. */
function toRecord(key: string, value: unknown): JsonObject {
  if (value === undefined) return {};
  try {
    const text = JSON.stringify(value);
    if (text !== undefined) return { value: JSON.parse(text) };
  } catch (cause) {
    throw new UsageError(`The result of once "${key}" can't be carried along: it is no JSON.`, { cause });
  }
  throw new UsageError(`The result of once "${key}" can't be carried along: it is a ${typeof value}.`);
}
