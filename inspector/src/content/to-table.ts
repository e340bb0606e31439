export interface Table {
  /** The member of the value whose list the rows are. */
  readonly name?: string;
  readonly columns: readonly string[];
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

export const maxColumns = 24;

/** A list of objects as a table; an object becomes one of its lists, or a table of members and values. */
export function toTable(value: unknown): Table | undefined {
  if (Array.isArray(value)) return fromList(value);
  if (!isObject(value)) return;
  const entries = Object.entries(value);
  const lists = entries.filter((entry): entry is [string, unknown[]] => Array.isArray(entry[1]));
  if (entries.length === 1 && lists.length === 1) return fromList(lists[0]?.[1] ?? [], lists[0]?.[0]);
  if (entries.length === 0 || entries.length > 200) return;
  return { columns: ["member", "value"], rows: entries.map(([member, one]) => ({ member, value: one })) };
}

function fromList(list: readonly unknown[], name?: string): Table | undefined {
  if (list.length === 0) return;
  if (!list.every(isObject)) {
    return list.some((item) => typeof item === "object") ? undefined : fromValues(list, name ?? "value");
  }
  const columns = new Set<string>();
  for (const item of list.slice(0, 200)) for (const name of Object.keys(item)) columns.add(name);
  if (columns.size > maxColumns) return;
  return { columns: [...columns], rows: list, ...(name !== undefined && { name }) };
}

function fromValues(values: readonly unknown[], column: string): Table {
  return { columns: [column], rows: values.map((value) => ({ [column]: value })) };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
