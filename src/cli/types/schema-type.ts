import { isObject, type JsonObject } from "../../lib/json.ts";
import { resolveReference } from "../arguments/schema-view.ts";

const maxDepth = 12;
const primitives: Readonly<Record<string, string>> = {
  string: "string",
  number: "number",
  integer: "number",
  boolean: "boolean",
  null: "null",
};

/** The TypeScript type of a JSON Schema; what it can't say becomes `unknown`. A schema is untrusted: only JSON is written. */
export function toSchemaType(given: unknown, root: JsonObject, depth = 0): string {
  const schema = resolveReference(given, root);
  if (depth > maxDepth) return "unknown";
  if ("const" in schema) return literal(schema.const);
  if (Array.isArray(schema.enum)) return union(schema.enum.map(literal));
  for (const parts of [schema.anyOf, schema.oneOf]) {
    if (Array.isArray(parts)) return union(parts.map((part) => toSchemaType(part, root, depth + 1)));
  }
  const types = [schema.type].flat().filter((type) => typeof type === "string");
  if (types.length === 0) return isObject(schema.properties) ? objectType(schema, root, depth) : "unknown";
  return union(types.map((type) => namedType(type, schema, root, depth)));
}

function namedType(type: string, schema: JsonObject, root: JsonObject, depth: number): string {
  if (type === "object") return objectType(schema, root, depth);
  if (type === "array")
    return `readonly (${schema.items === undefined ? "unknown" : toSchemaType(schema.items, root, depth + 1)})[]`;
  return primitives[type] ?? "unknown";
}

function objectType(schema: JsonObject, root: JsonObject, depth: number): string {
  const required = Array.isArray(schema.required) ? schema.required : [];
  const members = Object.entries(isObject(schema.properties) ? schema.properties : {}).map(
    ([name, property]) => {
      const mark = required.includes(name) ? "" : "?";
      return `readonly ${literal(name)}${mark}: ${toSchemaType(property, root, depth + 1)}`;
    },
  );
  if (members.length === 0)
    return schema.additionalProperties === false
      ? "Record<string, never>"
      : "{ readonly [name: string]: unknown }";
  return `{ ${members.join("; ")} }`;
}

function union(types: readonly string[]): string {
  const different = [...new Set(types)];
  return different.length === 0 ? "never" : different.join(" | ");
}

/** A literal as JSON: whatever a server writes stays inside the quotes. */
function literal(value: unknown): string {
  if (typeof value === "object" && value !== null) return "unknown";
  return (
    JSON.stringify(value)?.replace(/[\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16)}`) ??
    "unknown"
  );
}
