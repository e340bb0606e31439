import { UsageError } from "../errors.ts";
import type { JsonObject } from "../lib/json.ts";
import { assertOptions, assertString, type OptionKinds } from "./options.ts";

/** The key of a value that a middleware gives to handlers; the type of the value comes with it. */
export interface ContextKey<T> {
  readonly name: string;
  readonly stored: boolean;
  /** The value under this key, for `next({ values: [key.of(value)] })`. */
  of(value: T): ContextValue<T>;
}

export interface ContextKeyOptions {
  /**
   * Stores the value with a call that becomes a task, so that its handler gets it there too. The value must be JSON,
   * and whoever reads the state can read it. Default false.
   */
  readonly stored?: boolean | undefined;
}

const contextKeyKinds: OptionKinds<ContextKeyOptions> = { stored: "boolean" };

/** A value under its key. */
export interface ContextValue<T = unknown> {
  readonly key: ContextKey<T>;
  readonly value: T;
}

/** Makes a key for values that middlewares give to handlers, which read them with `ctx.get`. */
export function contextKey<T>(name: string, options: ContextKeyOptions = {}): ContextKey<T> {
  assertString("contextKey", name);
  assertOptions("contextKey", options, contextKeyKinds);
  const key: ContextKey<T> = {
    name,
    stored: options.stored ?? false,
    of: (value) => ({ key, value }),
  };
  return key;
}

/** The values that a call carries. */
export class ContextValues {
  readonly #live: ReadonlyMap<unknown, unknown>;
  /** The values of a task, by the names of their keys. */
  readonly #stored: JsonObject | undefined;

  constructor(live: ReadonlyMap<unknown, unknown>, stored?: JsonObject) {
    this.#live = live;
    this.#stored = stored;
  }

  /** Finds a value; the outcome shows whether it is there, because it may be undefined. */
  find<T>(key: ContextKey<T>): { readonly value: T } | undefined {
    if (this.#live.has(key)) return { value: this.#live.get(key) as T };
    if (key.stored && this.#stored && Object.hasOwn(this.#stored, key.name))
      return { value: this.#stored[key.name] as T };
    return undefined;
  }

  /** These values and further ones, which go before. */
  with(more: readonly ContextValue[]): ContextValues {
    return new ContextValues(new Map([...this.#live, ...toEntries(more)]), this.#stored);
  }

  /** The values to store with a task, as JSON. */
  toStored(): JsonObject | undefined {
    const kept = [...this.#live].filter(([key]) => (key as ContextKey<unknown>).stored);
    if (kept.length === 0) return this.#stored;
    const entries = kept.map(([key, value]) => [(key as ContextKey<unknown>).name, value]);
    return { ...this.#stored, ...Object.fromEntries(entries) };
  }
}

export const noValues: ContextValues = new ContextValues(new Map());

function toEntries(values: readonly ContextValue[]): readonly (readonly [unknown, unknown])[] {
  if (!values.every((given) => typeof given?.key?.of === "function"))
    throw new UsageError("next takes values that keys made: next({ values: [key.of(value)] }).");
  return values.map(({ key, value }) => [key, value]);
}
