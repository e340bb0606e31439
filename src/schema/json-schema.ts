/** A JSON Schema in object form; the boolean schemas are spelled out where they are allowed. */
export type JsonSchema = { readonly [key: string]: unknown };

/** True for what JSON calls an object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
