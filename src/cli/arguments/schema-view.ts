import { isObject, type JsonObject } from "../../lib/json.ts";
import { applyDefaults } from "../../schema/defaults.ts";

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
    const key = decoded(part).replaceAll("~1", "/").replaceAll("~0", "~");
    if (!isObject(found) || !Object.hasOwn(found, key)) return undefined;
    found = found[key];
  }
  return found;
}

/** A part of a reference; one that is not encoded as URIs are means itself. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The properties of a schema, whatever a server gives in their place. */
export function propertiesOf({ properties }: JsonObject): JsonObject {
  return isObject(properties) ? properties : {};
}

/** The names of the properties that a schema requires. */
export function requiredOf({ required }: JsonObject): ReadonlySet<unknown> {
  return new Set(listOf(required));
}

/**
 * The defaults of required properties.
 *
 * Schemas that describe a value after its defaults were filled in require what a caller may leave out.
 */
export function requiredDefaults(schema: JsonObject): JsonObject {
  const required = requiredOf(schema);
  const defaults = applyDefaults(schema, {});
  return Object.fromEntries(Object.entries(defaults).filter(([name]) => required.has(name)));
}

/** The types that a schema allows, those of its alternatives too; empty when it names none. */
export function typesOf(schema: JsonObject, root: JsonObject = schema): ReadonlySet<string> {
  const types = new Set<string>();
  // A set goes on while it grows: each alternative is visited once, however often it is named.
  const visited = new Set([schema]);
  for (const one of visited) {
    for (const type of [one.type].flat()) if (typeof type === "string") types.add(type);
    for (const value of listOf(one.enum)) types.add(typeOf(value));
    if ("const" in one) types.add(typeOf(one.const));
    for (const part of [...listOf(one.anyOf), ...listOf(one.oneOf)])
      visited.add(resolveReference(part, root));
  }
  return types;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value;
}

/** The type for people: `string`, `"a" | "b"`, `number[]`. */
export function describeType(schema: JsonObject, root: JsonObject, depth = 0): string {
  if (Array.isArray(schema.enum))
    return schema.enum
      .slice(0, 8)
      .map((value) => JSON.stringify(value))
      .join(" | ");
  const types = [...typesOf(schema, root)];
  if (types.length === 1 && types[0] === "array") {
    const items = resolveReference(schema.items, root);
    return `${depth < maxSteps ? describeType(items, root, depth + 1) : "…"}[]`;
  }
  return types.join(" | ") || "any";
}
