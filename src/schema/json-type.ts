/** What a value is, in the words of JSON Schema. */
export function jsonTypeOf(value: unknown): string {
  if (value === null) return "null";
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  return Array.isArray(value) ? "array" : typeof value;
}
