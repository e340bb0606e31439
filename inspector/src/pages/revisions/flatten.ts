/** Values of one answer that are compared. */
const maxValues = 20_000;
const maxDepth = 24;

/** Every scalar of a JSON value by its JSON Pointer; an empty list or object is a value too. */
export function flatten(value: unknown): ReadonlyMap<string, unknown> {
  const values = new Map<string, unknown>();
  collect(value, "", 0, values);
  return values;
}

function collect(value: unknown, path: string, depth: number, values: Map<string, unknown>): void {
  if (values.size >= maxValues) return;
  const entries = typeof value === "object" && value !== null ? Object.entries(value) : [];
  if (entries.length === 0 || depth >= maxDepth) {
    values.set(
      path,
      typeof value === "object" && value !== null ? JSON.stringify(value).slice(0, 200) : value,
    );
    return;
  }
  for (const [key, member] of entries)
    collect(member, `${path}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`, depth + 1, values);
}
