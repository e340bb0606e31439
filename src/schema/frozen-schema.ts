import { SchemaConversionError } from "./error.ts";
import type { JsonSchema } from "./json-schema.ts";

/** A frozen copy of a JSON Schema; throws for what is not JSON. */
export function toFrozenSchema(schema: JsonSchema): JsonSchema {
  try {
    return JSON.parse(JSON.stringify(schema, assertJson), (_, value) => Object.freeze(value));
  } catch (cause) {
    if (cause instanceof SchemaConversionError) throw cause;
    throw new SchemaConversionError('The schema contains itself, or nests too deeply; use "$ref".', {
      cause,
    });
  }
}

function assertJson(key: string, value: unknown): unknown {
  const isInstance = typeof value === "object" && value && !Array.isArray(value) && !isPlainObject(value);
  const kind = isInstance ? value.constructor.name : typeof value;
  if (!isInstance && !/function|bigint|symbol/.test(kind)) return value;
  throw new SchemaConversionError(`"${key}" is a ${kind}: a JSON Schema must be plain JSON.`);
}

export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
