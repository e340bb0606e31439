import { isObject } from "../lib/json.ts";
import { unrepresentable, unrepresentableMark } from "./convert/unrepresentable.ts";
import { SchemaConversionError } from "./error.ts";
import type { MutableJsonSchema } from "./json-schema.ts";
import { mapSubschemas } from "./subschemas.ts";

const referencePattern = /"\$ref":"#\/(?:\$defs|definitions)\/([^"/]+)"/g;
const maxParts = 5_000;

/**
 * Rewrites a converted schema into the plainest form: many models and hosts know only part of JSON Schema.
 * References that do not recurse are inlined, and keywords without effect are left out. Parts that were marked as
 * having no JSON Schema are refused here, where their place is known.
 */
export function simplifySchema(json: MutableJsonSchema, at = ""): MutableJsonSchema {
  const { $schema: _, $defs, definitions, ...body } = json;
  const defs = { ...(definitions as MutableJsonSchema), ...($defs as MutableJsonSchema) };
  const kept = Object.keys(defs).filter((name) => isRecursive(name, defs));
  let parts = 0;

  const visit = (part: unknown, path: string, keeps = kept): unknown => {
    if (!isObject(part)) return part;
    if (++parts > maxParts) throw new SchemaConversionError(`The schema has more than ${maxParts} parts.`);
    if (part[unrepresentableMark] !== undefined)
      throw unrepresentable(String(part[unrepresentableMark]), path);
    const [name] = referencesOf({ $ref: part.$ref });
    if (name !== undefined && Object.hasOwn(defs, name) && !keeps.includes(name)) {
      return visit(inline(part, defs[name] as MutableJsonSchema), path);
    }
    return tidy(mapSubschemas(part, (inner, step) => visit(inner, join(path, step))));
  };

  // The root is written out, even if it is a recursive definition.
  const root = visit(body, at, []) as MutableJsonSchema;
  if (!kept.length) return root;
  return { ...root, $defs: Object.fromEntries(kept.map((name) => [name, visit(defs[name], at)])) };
}

function join(path: string, step: string): string {
  return path && step && step !== "[]" ? `${path}.${step}` : path + step;
}

function referencesOf(part: unknown): string[] {
  const matches = JSON.stringify(part).matchAll(referencePattern);
  return Array.from(matches, ([, name = ""]) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** True for a definition that refers back to itself, directly or through others. */
function isRecursive(name: string, defs: MutableJsonSchema): boolean {
  const reached = new Set(referencesOf(defs[name]));
  for (const next of reached) for (const further of referencesOf(defs[next] ?? {})) reached.add(further);
  return reached.has(name);
}

/** Merges a reference with its neighbours, which describe this use of it. */
function inline({ $ref: _, ...beside }: MutableJsonSchema, target: MutableJsonSchema): MutableJsonSchema {
  const isDescription = Object.keys(beside).every((key) =>
    /^(title|description|default|examples|x-.*)$/.test(key),
  );
  return isDescription ? { ...target, ...beside } : { allOf: [target], ...beside };
}

function tidy(schema: MutableJsonSchema): MutableJsonSchema {
  const { additionalProperties, propertyNames, minimum, maximum, format, enum: options } = schema;
  // zod names its own checks as formats.
  if (/^((start|end)s_with|includes|(low|upp)ercase)$/.test(String(format))) delete schema.format;
  if (JSON.stringify(additionalProperties) === "{}") delete schema.additionalProperties;
  if (JSON.stringify(propertyNames) === '{"type":"string"}') delete schema.propertyNames;
  if (minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  const isText = Array.isArray(options) && options.every((option) => typeof option === "string");
  return isText && schema.type === undefined ? { type: "string", ...schema } : schema;
}
