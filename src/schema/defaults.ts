import { isObject } from "../lib/json.ts";
import type { JsonSchema } from "./json-schema.ts";

/** The content with the schema's defaults for the top-level properties that are absent. */
export function applyDefaults(
  schema: JsonSchema,
  content: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const filled = new Map(Object.entries(content).filter(([, value]) => value !== undefined));
  const { properties } = schema;
  for (const [key, property] of Object.entries(isObject(properties) ? properties : {})) {
    const preset = isObject(property) && Object.hasOwn(property, "default") ? property.default : undefined;
    if (preset !== undefined && !filled.has(key)) filled.set(key, structuredClone(preset));
  }
  return Object.fromEntries(filled);
}
