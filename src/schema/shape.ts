import { isPromise } from "../lib/async/maybe-promise.ts";
import { isObject } from "../lib/json.ts";
import { type Issue, maxIssues, type ValidationResult } from "../lib/text/issue.ts";
import { toJsonSchema } from "./convert/convert.ts";
import type { SchemaDirection } from "./convert/walk.ts";
import { SchemaConversionError } from "./error.ts";
import { isPlainObject } from "./frozen-schema.ts";
import type { MutableJsonSchema } from "./json-schema.ts";
import { jsonTypeOf } from "./json-schema.ts";
import { simplifySchema } from "./simplify.ts";
import type { StandardSchema } from "./standard-schema.ts";
import { isStandardSchema, probeAbsent, validateStandardSchema } from "./standard-schema.ts";

/** An object of Standard Schemas: each property by its own library. */
export type Shape = { readonly [key: string]: StandardSchema };

/** True if any member is a schema; throws if only some are. */
export function isShape(value: unknown): value is Shape {
  if (!isPlainObject(value)) return false;
  const keys = Object.keys(value);
  const other = keys.find((key) => !isStandardSchema(value[key]));
  if (keys.every((key) => !isStandardSchema(value[key]))) return false;
  if (other === undefined) return true;
  throw new SchemaConversionError(`"${other}" is not a schema, but other properties of the same object are.`);
}

/** The JSON Schema of the object that a shape describes. */
export function shapeToJsonSchema(shape: Shape, direction: SchemaDirection): MutableJsonSchema {
  const members = Object.entries(shape);
  const required = members.filter(([, schema]) => {
    const { accepts, fills } = probeAbsent(schema);
    return !accepts || (direction === "output" && fills);
  });
  return {
    type: "object",
    properties: Object.fromEntries(members.map(([key, schema]) => [key, toMember(key, schema, direction)])),
    ...(required.length && { required: required.map(([key]) => key) }),
  };
}

/** Validates each property; properties that the shape does not name are dropped. */
export function validateShape(
  shape: Shape,
): (value: unknown) => ValidationResult<unknown> | Promise<ValidationResult<unknown>> {
  const members = Object.entries(shape);
  return (value) => {
    if (!isObject(value)) {
      return { ok: false, issues: [{ path: "", message: `expected object, got ${jsonTypeOf(value)}` }] };
    }
    const results = members.map(([key, schema]) =>
      validateStandardSchema(schema, Object.hasOwn(value, key) ? value[key] : undefined),
    );
    return results.some(isPromise)
      ? Promise.all(results).then((all) => assemble(members, all, value))
      : assemble(members, results as ValidationResult<unknown>[], value);
  };
}

type Member = readonly [key: string, schema: StandardSchema];

function assemble(
  members: readonly Member[],
  results: readonly ValidationResult<unknown>[],
  input: MutableJsonSchema,
): ValidationResult<unknown> {
  const entries: [string, unknown][] = [];
  const issues: Issue[] = [];
  for (const [index, [key]] of members.entries()) {
    const result = results[index] as ValidationResult<unknown>;
    if (!result.ok) issues.push(...result.issues.map((issue) => under(key, issue)));
    else if (result.value !== undefined || Object.hasOwn(input, key)) entries.push([key, result.value]);
  }
  if (issues.length) return { ok: false, issues: issues.slice(0, maxIssues) };
  return { ok: true, value: Object.fromEntries(entries) };
}

function under(key: string, { path, message }: Issue): Issue {
  const glue = path === "" || path.startsWith("[") ? "" : ".";
  return { path: `${key}${glue}${path}`, message };
}

function toMember(key: string, schema: StandardSchema, direction: SchemaDirection): unknown {
  const text = JSON.stringify(simplifySchema(toJsonSchema(schema, direction), key));
  // A reference to the root of a property now refers to that property.
  const pointer = encodeURIComponent(key.replaceAll("~", "~0").replaceAll("/", "~1"));
  return JSON.parse(text.replaceAll('"$ref":"#', `"$ref":"#/properties/${pointer}`));
}
