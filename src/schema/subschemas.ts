import { isObject } from "../lib/json.ts";
import type { JsonSchema, MutableJsonSchema } from "./json-schema.ts";

/** Keywords that hold subschemas; everything else is data, even if it looks like a schema. */
export const singleSubschemaKeywords: ReadonlySet<string> = words(
  "additionalItems additionalProperties contains contentSchema else if items not propertyNames then unevaluatedItems unevaluatedProperties",
);
export const subschemaListKeywords: ReadonlySet<string> = words("allOf anyOf items oneOf prefixItems");
export const subschemaMapKeywords: ReadonlySet<string> = words(
  "$defs definitions dependencies dependentSchemas patternProperties properties",
);

/* @__NO_SIDE_EFFECTS__ */
function words(text: string): Set<string> {
  return new Set(text.split(" "));
}

/** A copy of a schema with each subschema replaced; `step` is its place in the value. */
export function mapSubschemas(
  schema: JsonSchema,
  replace: (part: unknown, step: string) => unknown,
): MutableJsonSchema {
  const entries = Object.entries(schema).map(([keyword, value]): [string, unknown] => {
    const step = /^(items|prefixItems|contains)$/.test(keyword) ? "[]" : "";
    if (subschemaListKeywords.has(keyword) && Array.isArray(value))
      return [keyword, value.map((part) => replace(part, step))];
    if (subschemaMapKeywords.has(keyword) && isObject(value)) {
      const parts = Object.entries(value).map(([name, part]) => [name, replace(part, name)]);
      return [keyword, Object.fromEntries(parts)];
    }
    return [keyword, singleSubschemaKeywords.has(keyword) ? replace(value, step) : value];
  });
  return Object.fromEntries(entries);
}
