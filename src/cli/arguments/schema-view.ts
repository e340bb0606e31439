import { isObject, type JsonObject } from "../../lib/json.ts";

const maxSteps = 16;

/** A subschema with its reference into the same document followed; anything that can't be followed is empty. */
export function resolveReference(schema: unknown, root: JsonObject): JsonObject {
  let found = schema;
  for (let step = 0; step < maxSteps; step++) {
    if (!isObject(found)) return {};
    if (typeof found.$ref !== "string") return found;
    found = follow(found.$ref, root);
  }
  return {};
}

function follow(reference: string, root: JsonObject): unknown {
  if (!reference.startsWith("#/")) return undefined;
  let found: unknown = root;
  for (const part of reference.slice(2).split("/")) {
    const key = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
    if (!isObject(found) || !Object.hasOwn(found, key)) return undefined;
    found = found[key];
  }
  return found;
}

/** The types that a schema allows, those of its alternatives too; empty when it does not say. */
export function typesOf(schema: JsonObject, root: JsonObject = schema, depth = 0): ReadonlySet<string> {
  const types = new Set<string>();
  if (depth > maxSteps) return types;
  for (const type of [schema.type].flat()) if (typeof type === "string") types.add(type);
  for (const value of Array.isArray(schema.enum) ? schema.enum : []) types.add(typeOf(value));
  if ("const" in schema) types.add(typeOf(schema.const));
  for (const alternatives of [schema.anyOf, schema.oneOf]) {
    if (!Array.isArray(alternatives)) continue;
    for (const one of alternatives) {
      for (const type of typesOf(resolveReference(one, root), root, depth + 1)) types.add(type);
    }
  }
  return types;
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value;
}

/** The type for people: `string`, `"a" | "b"`, `number[]`. */
export function describeType(schema: JsonObject, root: JsonObject): string {
  if (Array.isArray(schema.enum))
    return schema.enum
      .slice(0, 8)
      .map((value) => JSON.stringify(value))
      .join(" | ");
  const types = [...typesOf(schema, root)];
  if (types.length === 1 && types[0] === "array") {
    const items = resolveReference(schema.items, root);
    return `${describeType(items, root)}[]`;
  }
  return types.join(" | ") || "any";
}
