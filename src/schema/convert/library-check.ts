import type { MutableJsonSchema } from "../json-schema.ts";

/** One check of a library's schema: `min_length`, `startsWith`, `email` and the like. */
export interface LibraryCheck {
  readonly name: string;
  readonly value?: unknown;
  readonly pattern?: unknown;
  readonly isExclusive?: boolean;
}

/** Names as zod and valibot have them, without case and underscores. */
const formats: Readonly<Record<string, string>> = {
  email: "email",
  rfcemail: "email",
  url: "uri",
  uuid: "uuid",
  guid: "uuid",
  datetime: "date-time",
  isotimestamp: "date-time",
  date: "date",
  isodate: "date",
  duration: "duration",
  ipv4: "ipv4",
  ipv6: "ipv6",
};

const sizes: Readonly<Record<string, string>> = { string: "Length", array: "Items", object: "Properties" };

/** Writes a check as JSON Schema where JSON Schema can express it; the library checks the rest. */
export function addCheck(
  json: MutableJsonSchema,
  { name, value, pattern, isExclusive = false }: LibraryCheck,
): void {
  const check = name.replaceAll("_", "").toLowerCase();
  if (/^(min|length|nonempty|greater|gt)/.test(check))
    bound(json, "min", (value ?? 1) as number, isExclusive);
  if (/^(max|length|less|lt)/.test(check)) bound(json, "max", value as number, isExclusive);
  if (/int(eger|\d+)?$/.test(check)) json.type = "integer";
  if (check === "multipleof") json.multipleOf = value;
  if (check.startsWith("base64")) json.contentEncoding = check;
  else if (formats[check]) json.format = formats[check];
  else if (pattern instanceof RegExp) addPattern(json, pattern);
  else if (check === "startswith") addPattern(json, new RegExp(`^${literal(value)}`));
  else if (check === "endswith") addPattern(json, new RegExp(`${literal(value)}$`));
  else if (check === "includes" && json.type === "string") addPattern(json, new RegExp(literal(value)));
}

/** Bounds only get tighter: of two minimums the higher holds. */
function bound(json: MutableJsonSchema, side: "min" | "max", value: number, isExclusive: boolean): void {
  const size = sizes[json.type as string];
  const keyword = size
    ? `${side}${size}`
    : isExclusive
      ? `exclusive${side === "min" ? "Min" : "Max"}imum`
      : `${side}imum`;
  const known = (json[keyword] ?? value) as number;
  json[keyword] = side === "min" ? Math.max(known, value) : Math.min(known, value);
}

/** Flags have no place in JSON Schema: a pattern that needs them is left to the library. */
function addPattern(json: MutableJsonSchema, { source, flags }: RegExp): void {
  if (/[ims]/.test(flags)) return;
  if (json.pattern === undefined) json.pattern = source;
  else json.allOf = [...((json.allOf ?? []) as MutableJsonSchema[]), { pattern: source }];
}

function literal(text: unknown): string {
  return String(text).replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
