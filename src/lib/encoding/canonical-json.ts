import { isObject } from "../json.ts";

export interface CanonicalJsonOptions {
  /** Called with each value before it is written, and its depth; may throw to stop. */
  readonly onValue?: (value: unknown, depth: number) => void;
  /**
   * The order of keys: by code units, or as `JSON.stringify` has it, with array indexes first, by number.
   *
   * Hashes are stored of both, so neither can change: pins are sorted by code units, digests of arguments are not.
   */
  readonly indexesFirst?: boolean;
}

/**
 * A text that two JSON values share exactly when they differ in nothing but the order of keys.
 *
 * Follows `JSON.stringify` in all else, such as `toJSON` and members that are undefined, except that a number too
 * large for a double is not null: `1e400` is valid JSON, and no `null`.
 */
export function canonicalJson(value: unknown, options: CanonicalJsonOptions = {}): string {
  return write(toPlain(value), options, 0) ?? "";
}

function write(value: unknown, options: CanonicalJsonOptions, depth: number): string | undefined {
  options.onValue?.(value, depth);
  if (Array.isArray(value))
    return `[${value.map((item) => write(toPlain(item), options, depth + 1) ?? "null").join()}]`;
  if (!isObject(value)) return isBeyondJson(value) ? String(value) : JSON.stringify(value);
  const members: string[] = [];
  for (const key of sortKeys(Object.keys(value), options)) {
    const text = write(toPlain(value[key]), options, depth + 1);
    if (text !== undefined) members.push(`${JSON.stringify(key)}:${text}`);
  }
  return `{${members.join()}}`;
}

/** True for numbers that JSON text can hold, and that `JSON.stringify` refuses or writes as null. */
function isBeyondJson(value: unknown): boolean {
  return typeof value === "bigint" || value === Infinity || value === -Infinity;
}

function sortKeys(keys: string[], { indexesFirst }: CanonicalJsonOptions): string[] {
  keys.sort();
  if (!indexesFirst) return keys;
  const indexes = keys.filter(isArrayIndex).sort((a, b) => Number(a) - Number(b));
  return indexes.length === 0 ? keys : [...indexes, ...keys.filter((key) => !isArrayIndex(key))];
}

function isArrayIndex(key: string): boolean {
  const index = Number(key);
  return Number.isInteger(index) && index >= 0 && index < 2 ** 32 - 1 && String(index) === key;
}

function toPlain(value: unknown): unknown {
  const { toJSON } = (value ?? {}) as { readonly toJSON?: unknown };
  return typeof toJSON === "function" ? (value as { toJSON(): unknown }).toJSON() : value;
}
