import { isObject, type JsonObject } from "../../lib/json.ts";
import { propertiesOf, requiredOf, resolveReference } from "../arguments/schema-view.ts";

const maxDepth = 12;
/** The parts of one schema that are written; a few references can stand for very many. */
const maxParts = 2_000;
const primitives: Readonly<Record<string, string>> = {
  string: "string",
  number: "number",
  integer: "number",
  boolean: "boolean",
  null: "null",
};

/** The TypeScript type of a JSON Schema; what it can't express becomes `unknown`. A schema is untrusted: only JSON is written. */
export function toSchemaType(schema: JsonObject): string {
  return new TypeWriter(schema).write(schema, 0);
}

class TypeWriter {
  readonly #root: JsonObject;
  #partsLeft = maxParts;

  constructor(root: JsonObject) {
    this.#root = root;
  }

  write(given: unknown, depth: number): string {
    if (depth > maxDepth || --this.#partsLeft < 0) return "unknown";
    const schema = resolveReference(given, this.#root);
    if ("const" in schema) return literal(schema.const);
    if (Array.isArray(schema.enum)) return union(schema.enum.map(literal));
    for (const parts of [schema.anyOf, schema.oneOf]) {
      if (Array.isArray(parts)) return union(parts.map((part) => this.write(part, depth + 1)));
    }
    const types = [schema.type].flat().filter((type) => typeof type === "string");
    if (types.length === 0) return isObject(schema.properties) ? this.#object(schema, depth) : "unknown";
    return union(types.map((type) => this.#named(type, schema, depth)));
  }

  #named(type: string, schema: JsonObject, depth: number): string {
    if (type === "object") return this.#object(schema, depth);
    if (type === "array")
      return `readonly (${schema.items === undefined ? "unknown" : this.write(schema.items, depth + 1)})[]`;
    return primitives[type] ?? "unknown";
  }

  #object(schema: JsonObject, depth: number): string {
    const required = requiredOf(schema);
    const members = Object.entries(propertiesOf(schema)).map(([name, property]) => {
      const mark = required.has(name) ? "" : "?";
      return `readonly ${literal(name)}${mark}: ${this.write(property, depth + 1)}`;
    });
    if (members.length === 0)
      return schema.additionalProperties === false
        ? "Record<string, never>"
        : "{ readonly [name: string]: unknown }";
    return `{ ${members.join("; ")} }`;
  }
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
