import { isObject, type JsonObject } from "../../lib/json.ts";

/** An argument that is repeated in a header, so that intermediaries need not read the body. */
export interface ParamHeader {
  /** The header is `Mcp-Param-` and this. */
  readonly name: string;
  /** The path to the argument, property by property. */
  readonly path: readonly string[];
  readonly type: "string" | "integer" | "boolean";
}

export type ParamHeaderSearch =
  | { readonly ok: true; readonly params: readonly ParamHeader[] }
  | { readonly ok: false; readonly problem: string };

const annotation = "x-mcp-header";
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const types: readonly unknown[] = ["string", "integer", "boolean"];
const maxDepth = 64;

/**
 * The arguments that an input schema wants to see in headers.
 *
 * One annotation that is misspelled, doubled, on a value that is not primitive, or not
 * reachable by a chain of `properties` makes the whole definition invalid.
 *
 * basic/transports/streamable-http#schema-extension (2026-07-28)
 */
export function findParamHeaders(schema: JsonObject): ParamHeaderSearch {
  const params: ParamHeader[] = [];
  const problem = walk(schema, [], params) ?? findTwin(params);
  return problem === undefined ? { ok: true, params } : { ok: false, problem };
}

/**
 * The argument at a path; undefined when it is absent or null, which headers don't carry.
 *
 * basic/transports/streamable-http#client-behavior (2026-07-28)
 */
export function readHeaderParam(args: unknown, { path }: ParamHeader): unknown {
  let value = args;
  for (const key of path) {
    if (!isObject(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value ?? undefined;
}

function walk(schema: JsonObject, path: readonly string[], params: ParamHeader[]): string | undefined {
  if (path.length > maxDepth) return undefined;
  for (const [keyword, value] of Object.entries(schema)) {
    const problem =
      keyword === "properties" ? walkProperties(value, path, params) : findElsewhere(keyword, value, path);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function walkProperties(
  properties: unknown,
  path: readonly string[],
  params: ParamHeader[],
): string | undefined {
  if (!isObject(properties)) return undefined;
  for (const [key, property] of Object.entries(properties)) {
    if (!isObject(property)) continue;
    const here = [...path, key];
    if (Object.hasOwn(property, annotation)) {
      const problem = addParam(property, here, params);
      if (problem !== undefined) return problem;
    }
    const { [annotation]: _, ...rest } = property;
    const problem = walk(rest, here, params);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function addParam(property: JsonObject, path: readonly string[], params: ParamHeader[]): string | undefined {
  const name = property[annotation];
  const where = path.join(".");
  if (typeof name !== "string" || !token.test(name)) {
    return `${annotation} of "${where}" must be an HTTP header token, got ${JSON.stringify(name)}`;
  }
  if (!types.includes(property.type)) {
    return `${annotation} of "${where}" needs the type string, integer or boolean`;
  }
  params.push({ name, path, type: property.type as ParamHeader["type"] });
  return undefined;
}

/** Refuses the annotation outside a chain of `properties`, where it does not mean exactly one argument. */
function findElsewhere(keyword: string, value: unknown, path: readonly string[]): string | undefined {
  if (keyword === annotation) return `${annotation} is on "${path.join(".")}", which is not an argument`;
  // These hold data, not schemas.
  if (["enum", "const", "default", "examples", "required"].includes(keyword)) return undefined;
  return holdsAnnotation(value, 0)
    ? `${annotation} is below "${keyword}", where it belongs to no single argument`
    : undefined;
}

function holdsAnnotation(value: unknown, depth: number): boolean {
  if (depth > maxDepth || typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some((item) => holdsAnnotation(item, depth + 1));
  return (
    Object.hasOwn(value, annotation) || Object.values(value).some((item) => holdsAnnotation(item, depth + 1))
  );
}

function findTwin(params: readonly ParamHeader[]): string | undefined {
  const seen = new Set<string>();
  for (const { name } of params) {
    const folded = name.toLowerCase();
    if (seen.has(folded)) return `${annotation} "${name}" is given twice`;
    seen.add(folded);
  }
  return undefined;
}
