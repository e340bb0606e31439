import { isObject } from "./json-schema.ts";
import {
  singleSubschemaKeywords,
  subschemaListKeywords,
  subschemaMapKeywords,
} from "./subschema-keywords.ts";

type Json = Record<string, unknown>;

/** A copy of a schema with each subschema replaced; `step` says where it is in the value. */
export function mapSubschemas(schema: Json, replace: (part: unknown, step: string) => unknown): Json {
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
