import type { ValidationResult } from "../lib/text/issue.ts";
import { toJsonSchema } from "./convert/convert.ts";
import type { SchemaDirection } from "./convert/walk.ts";
import { SchemaConversionError, SchemaRefusedError } from "./error.ts";
import { isPlainObject, toFrozenSchema } from "./frozen-schema.ts";
import type { JsonSchema, MutableJsonSchema } from "./json-schema.ts";
import { isShape, type Shape, shapeToJsonSchema, validateShape } from "./shape.ts";
import { simplifySchema } from "./simplify.ts";
import type { StandardSchema } from "./standard-schema.ts";
import { isStandardSchema, validateStandardSchema } from "./standard-schema.ts";
import { assertUsable, validateBy } from "./validate-json.ts";
import { withBudget } from "./validate-large.ts";

/** A schema as users pass it: a Standard Schema, a plain JSON Schema, or an object of Standard Schemas. */
export type SchemaInput = StandardSchema | JsonSchema | Shape;

export interface CompiledSchema<T = unknown> {
  /** JSON Schema 2020-12, frozen; as the user wrote it if it was JSON Schema already. */
  readonly jsonSchema: JsonSchema;
  /** False for JSON Schema, which changes no value. */
  readonly converts: boolean;
  /** Validates and transforms, once; a promise only if the schema is asynchronous, or its validator is still being loaded. */
  validate(value: unknown): ValidationResult<T> | Promise<ValidationResult<T>>;
}

export interface CompileOptions {
  /** Emit `$schema`. Default: no, as some model providers refuse it. */
  readonly dialect?: boolean;
}

/**
 * Turns a schema of any kind into JSON Schema and a validator.
 *
 * `direction` chooses the side that JSON Schema describes: what the caller must send, or what comes out.
 * Throws `SchemaConversionError` with what can't be converted and where. The converters that the schema needs
 * must be loaded: call it within `withConverters`.
 */
export function compileSchema(
  schema: SchemaInput,
  direction: SchemaDirection,
  options: CompileOptions = {},
): CompiledSchema {
  const finish = (json: MutableJsonSchema): JsonSchema => {
    const dialect = options.dialect && { $schema: "https://json-schema.org/draft/2020-12/schema" };
    return toRoot({ ...dialect, ...withObjectType(json) }, direction);
  };
  const compiled = (jsonSchema: JsonSchema, validate: CompiledSchema["validate"]): CompiledSchema => ({
    jsonSchema,
    converts: true,
    validate: direction === "input" ? withBudget(jsonSchema, validate) : validate,
  });
  if (isStandardSchema(schema)) {
    const jsonSchema = finish(simplifySchema(toJsonSchema(schema, direction)));
    return compiled(jsonSchema, (value) => validateStandardSchema(schema, value));
  }
  if (isShape(schema) || (direction === "input" && isEmpty(schema))) {
    const shape = schema as Shape;
    return compiled(finish(shapeToJsonSchema(shape, direction)), validateShape(shape));
  }
  return compilePlain(schema, direction);
}

function compilePlain(schema: JsonSchema, direction: SchemaDirection): CompiledSchema {
  if (!isPlainObject(schema)) {
    throw new SchemaConversionError(
      "A schema must be a Standard Schema (zod 3.24 or newer, valibot, arktype), a JSON Schema, or an object of Standard Schemas.",
    );
  }
  const jsonSchema = toRoot(schema, direction);
  try {
    assertUsable(jsonSchema);
  } catch (cause) {
    if (!(cause instanceof SchemaRefusedError)) throw cause;
    throw new SchemaConversionError(`The JSON Schema can't be used: ${cause.message}`, { cause });
  }
  return { jsonSchema, converts: false, validate: validateBy(jsonSchema) };
}

/** Asserts `"type": "object"` for arguments, which the protocol wants at the root of each input schema. */
function toRoot(json: JsonSchema, direction: SchemaDirection): JsonSchema {
  const plain = toFrozenSchema(json);
  if (direction === "output" || plain.type === "object") return plain;
  throw new SchemaConversionError('The schema must be {"type": "object", "properties": …}.');
}

/** Adds the type to a union of objects, which is an object without a type of its own. */
function withObjectType(json: MutableJsonSchema): MutableJsonSchema {
  const isObjectSchema = (part: unknown): boolean => {
    const { type, anyOf, oneOf, allOf } = part as Record<string, unknown>;
    if (type !== undefined) return type === "object";
    const options = anyOf ?? oneOf;
    if (Array.isArray(options)) return options.every(isObjectSchema);
    return Array.isArray(allOf) && allOf.some(isObjectSchema);
  };
  return json.type === undefined && isObjectSchema(json) ? { type: "object", ...json } : json;
}

function isEmpty(schema: object): boolean {
  return isPlainObject(schema) && Object.keys(schema).length === 0;
}
