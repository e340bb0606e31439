import { isObject, type JsonObject } from "../../lib/json.ts";
import { cutText } from "../../lib/text/well-formed.ts";

type Resolve = (part: JsonObject) => JsonObject;

export interface MergedSchema {
  readonly schema: JsonObject;
  /** Keywords whose meaning is now in the description. */
  readonly keywords: readonly string[];
}

/** Keywords that providers refuse beside the properties of the arguments. */
const refused: readonly string[] = ["not", "if", "then", "else", "enum", "const"];
const maxNote = 300;
/** The parts of `allOf` in each other: the schema is untrusted, and may contain itself. */
const maxDepth = 32;

/**
 * Writes what is at the top of a schema as one list of properties: providers refuse `anyOf`, `oneOf`, `allOf` and
 * others there. A property of any alternative stays; it is required if all alternatives require it.
 */
export function mergeRoot(root: JsonObject, resolve: Resolve): MergedSchema {
  const alternatives = (["anyOf", "oneOf"] as const).filter((keyword) => Array.isArray(root[keyword]));
  const dropped = refused.filter((keyword) => root[keyword] !== undefined);
  let schema = mergeAllOf(root, resolve);
  for (const keyword of alternatives) schema = mergeAlternatives(schema, keyword, resolve);
  for (const keyword of dropped) schema = describeKeyword(schema, keyword);
  return { schema, keywords: [...alternatives, ...dropped] };
}

/** Joins the parts of `allOf`; where two are about the same thing, the outer one stays. */
export function mergeAllOf(root: JsonObject, resolve: Resolve, depth = 0): JsonObject {
  const { allOf, ...own } = root;
  if (!Array.isArray(allOf)) return root;
  if (depth > maxDepth) return own;
  const parts = allOf.filter(isObject).map((part) => mergeAllOf(resolve(part), resolve, depth + 1));
  const all = [...parts, own];
  return {
    ...Object.assign({}, ...parts),
    ...own,
    ...joinProperties(all),
    ...joinRequired(all.map(requiredOf)),
  };
}

function mergeAlternatives(root: JsonObject, keyword: "anyOf" | "oneOf", resolve: Resolve): JsonObject {
  const { [keyword]: list, ...own } = root;
  const parts = (Array.isArray(list) ? list : [])
    .filter(isObject)
    .map((part) => mergeAllOf(resolve(part), resolve));
  const lists = parts.map(requiredOf);
  const sets = lists.map((names) => new Set(names));
  const common = [...(sets[0] ?? [])].filter((name) => sets.every((names) => names.has(name)));
  const number = keyword === "oneOf" ? "exactly one" : "at least one";
  const choices = lists.map((names) => `(${names.join(", ") || "no more"})`).join(" or ");
  const schema = { ...own, ...joinProperties([...parts, own]), ...joinRequired([requiredOf(own), common]) };
  return addNote(schema, `${number} of these sets of arguments is needed: ${choices}`);
}

function describeKeyword(root: JsonObject, keyword: string): JsonObject {
  const { [keyword]: value, ...others } = root;
  return addNote(others, `${keyword}: ${JSON.stringify(value)}`);
}

function addNote(schema: JsonObject, note: string): JsonObject {
  const before = typeof schema.description === "string" ? `${schema.description} ` : "";
  return { ...schema, description: `${before}(${cutText(note, maxNote)})` };
}

function joinProperties(parts: readonly JsonObject[]): { readonly properties?: JsonObject } {
  const entries = parts.flatMap(({ properties }) => (isObject(properties) ? Object.entries(properties) : []));
  return entries.length > 0 ? { properties: Object.fromEntries(entries) } : {};
}

function joinRequired(lists: readonly (readonly string[])[]): { readonly required?: readonly string[] } {
  const required = [...new Set(lists.flat())];
  return required.length > 0 ? { required } : {};
}

function requiredOf({ required }: JsonObject): readonly string[] {
  return Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
}
