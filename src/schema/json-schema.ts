/** A JSON Schema in object form; the boolean schemas are spelled out where they are allowed. */
export type JsonSchema = { readonly [key: string]: unknown };

/** A JSON Schema that is still being written. */
export type MutableJsonSchema = Record<string, unknown>;

/** The type of a value in the words of JSON Schema. */
export function jsonTypeOf(value: unknown): string {
  if (value === null) return "null";
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  return Array.isArray(value) ? "array" : typeof value;
}
