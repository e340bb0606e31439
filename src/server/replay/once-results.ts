import { UsageError } from "../../errors.ts";
import type { JsonObject } from "../../lib/json.ts";
import { explainJsonLoss } from "../../lib/text/json-loss.ts";

/** The results of each `once` of a handler, by key; `undefined` is stored without a value. */
export interface OnceRecords {
  readonly [key: string]: { readonly value?: unknown };
}

/** Stores a result before the handler gets it. */
export type SaveOnceResult = (key: string, record: JsonObject) => void | Promise<void>;

/** Runs each `once` of a handler at most once, and remembers the results. */
export class OnceResults {
  readonly #done = new Map<string, Promise<unknown>>();
  readonly #save: SaveOnceResult | undefined;

  constructor(records: OnceRecords = {}, save?: SaveOnceResult) {
    this.#save = save;
    for (const [key, record] of Object.entries(records)) this.#done.set(key, Promise.resolve(copyOf(record)));
  }

  /** True if the function of this key has run or is running. */
  has(key: string): boolean {
    return this.#done.has(key);
  }

  run<T>(key: string, run: () => T | Promise<T>): Promise<T> {
    const known = this.#done.get(key);
    if (known !== undefined) return known as Promise<T>;
    const running = this.#run(key, run);
    this.#done.set(key, running);
    // A function that failed may run again.
    running.catch(() => this.#done.delete(key));
    return running;
  }

  async #run<T>(key: string, run: () => T | Promise<T>): Promise<T> {
    const record = toRecord(key, await run());
    await this.#save?.(key, record);
    return copyOf(record) as T;
  }
}

/** Copies a value for the handler, which may change it; the record for the next run must not change. */
function copyOf({ value }: { readonly value?: unknown }): unknown {
  return structuredClone(value);
}

/** Converts a result to JSON in the first run too, because a replay gets it from JSON. */
function toRecord(key: string, value: unknown): JsonObject {
  if (value === undefined) return {};
  const text = toJson(key, value);
  if (text !== undefined) return { value: JSON.parse(text) };
  throw new UsageError(`The result of once "${key}" can't be stored: it is a ${typeof value}.`);
}

function toJson(key: string, value: unknown): string | undefined {
  try {
    return JSON.stringify(value, (name, part: unknown) => {
      const loss = explainJsonLoss(part, "return");
      if (loss === undefined) return part;
      throw new UsageError(
        `The result of once "${key}" can't be stored: ${name === "" ? "it" : `"${name}"`} is ${loss}.`,
      );
    });
  } catch (cause) {
    if (cause instanceof UsageError) throw cause;
    throw new UsageError(`The result of once "${key}" can't be stored: it is not JSON.`, { cause });
  }
}
