import { isSecretName } from "../../../src/lib/text/secret-name.ts";

/**
 * The parts of JSON Schema that decide how a form looks. A schema comes from a server that nobody vouches for, so
 * each walk through it has a limit, and a pattern is shown but never run: the inspector's server checks values.
 */
export type Schema = Readonly<Record<string, unknown>>;

export type Kind =
  | "string"
  | "number"
  | "integer"
  | "boolean"
  | "null"
  | "object"
  | "array"
  | "choice"
  | "union"
  | "constant"
  | "file"
  | "any";

export const limits = {
  /** `$ref` to `$ref`, or `allOf` in `allOf`. */
  hops: 16,
  members: 64,
  branches: 40,
  /** Levels of a form; deeper values are edited as JSON. */
  depth: 7,
  properties: 60,
  choices: 300,
  items: 100,
  /** Values that a form fills in by itself. */
  startValues: 400,
  /** Characters of a schema that becomes a form. */
  size: 400_000,
};

export function toSchema(schema: unknown): Schema {
  return isRecord(schema) ? schema : schema === false ? { not: {} } : {};
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The schema behind local references, with the members of `allOf` joined. */
export function resolve(schema: unknown, root: Schema): Schema {
  return join(toSchema(schema), root, { left: limits.hops });
}

function join(schema: Schema, root: Schema, hops: { left: number }): Schema {
  if (hops.left <= 0) return {};
  const { $ref, allOf, ...own } = schema;
  if (typeof $ref === "string") {
    hops.left -= 1;
    return merge(join(toSchema(find($ref, root)), root, hops), own);
  }
  if (!Array.isArray(allOf)) return schema;
  return allOf.slice(0, limits.members).reduce<Schema>((joined, member) => {
    hops.left -= 1;
    return merge(joined, join(toSchema(member), root, hops));
  }, own);
}

function merge(base: Schema, over: Schema): Schema {
  const merged: Record<string, unknown> = { ...base, ...over };
  if (isRecord(base.properties) && isRecord(over.properties))
    merged.properties = { ...base.properties, ...over.properties };
  if (Array.isArray(base.required) && Array.isArray(over.required))
    merged.required = [...base.required, ...over.required];
  return merged;
}

/** Follows a JSON Pointer or a plain-name anchor inside the document; nothing is ever fetched. */
function find(ref: string, root: Schema): unknown {
  if (ref === "#") return root;
  if (!ref.startsWith("#/")) return anchored(ref, root);
  let at: unknown = root;
  for (const part of ref.slice(2).split("/")) {
    const key = decode(part).replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return {};
    at = (at as Record<string, unknown>)[key];
  }
  return at;
}

function anchored(ref: string, root: Schema): unknown {
  const definitions = { ...toSchema(root.definitions), ...toSchema(root.$defs) };
  return Object.values(definitions).find(
    (schema) => isRecord(schema) && (`#${schema.$anchor}` === ref || schema.$id === ref),
  );
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // A pointer with a stray percent sign names the key as it stands.
    return part;
  }
}

/** The branches of a union: `oneOf`, `anyOf`, or a list of types. */
export function branchesOf(schema: Schema, root: Schema): readonly Schema[] {
  const { oneOf, anyOf, type, ...rest } = schema;
  const listed = Array.isArray(oneOf) ? oneOf : Array.isArray(anyOf) ? anyOf : undefined;
  if (listed)
    return listed
      .slice(0, limits.branches)
      .map((branch) => merge(type === undefined ? rest : { ...rest, type }, resolve(branch, root)));
  if (Array.isArray(type)) return type.slice(0, limits.branches).map((one) => ({ ...rest, type: one }));
  return [];
}

export interface Choice {
  readonly value: unknown;
  readonly title: string;
}

/** The values of `enum`, or of a union whose branches are all constants. */
export function choicesOf(schema: Schema): readonly Choice[] | undefined {
  if (Array.isArray(schema.enum)) {
    const names = Array.isArray(schema.enumNames) ? schema.enumNames : [];
    return schema.enum.map((value, at) => ({ value, title: String(names[at] ?? show(value)) }));
  }
  const listed = schema.oneOf ?? schema.anyOf;
  if (!Array.isArray(listed) || listed.length === 0) return;
  if (!listed.every((branch) => isRecord(branch) && "const" in branch)) return;
  return listed.map((branch) => ({ value: branch.const, title: String(branch.title ?? show(branch.const)) }));
}

function show(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

export function kindOf(schema: Schema): Kind {
  if ("const" in schema) return "constant";
  if (choicesOf(schema)) return "choice";
  if (Array.isArray(schema.oneOf) || Array.isArray(schema.anyOf)) return "union";
  if (Array.isArray(schema.type)) return schema.type.length === 1 ? ofType(schema.type[0], schema) : "union";
  return ofType(schema.type, schema);
}

function ofType(type: unknown, schema: Schema): Kind {
  if (type === "string") return isFile(schema) ? "file" : "string";
  if (type === "number" || type === "integer" || type === "boolean" || type === "null") return type;
  if (type === "object" || isRecord(schema.properties)) return "object";
  if (type === "array" || schema.items !== undefined || schema.prefixItems !== undefined) return "array";
  return "any";
}

function isFile({ contentEncoding, format }: Schema): boolean {
  return contentEncoding === "base64" || format === "byte" || format === "binary" || format === "data-url";
}

export function propertiesOf(schema: Schema): readonly (readonly [string, Schema])[] {
  return Object.entries(toSchema(schema.properties)).map(([name, property]) => [name, toSchema(property)]);
}

export function requiredOf(schema: Schema): ReadonlySet<string> {
  return new Set(
    Array.isArray(schema.required) ? schema.required.filter((name) => typeof name === "string") : [],
  );
}

/** Tells values that the page must not keep. */
export function isSecret(name: string, schema: Schema): boolean {
  return schema.format === "password" || schema.writeOnly === true || isSecretName(name);
}
