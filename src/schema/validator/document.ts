import { isObject } from "../../lib/json.ts";
import { SchemaRefusedError } from "../error.ts";
import type { JsonSchema } from "../json-schema.ts";
import { singleSubschemaKeywords, subschemaListKeywords, subschemaMapKeywords } from "../subschemas.ts";
import type { SchemaBudget } from "./budget.ts";
import { type Dialect, dialectOf } from "./dialect.ts";
import type { CompilePattern, MatchesPattern } from "./pattern.ts";

/** A part of the document with a URI of its own. */
export interface SchemaResource {
  readonly uri: string;
  readonly root: JsonSchema;
  readonly anchors: Map<string, JsonSchema>;
  readonly dynamicAnchors: Map<string, JsonSchema>;
}

/** A schema with its subschemas and anchors found, so that references resolve inside it and nowhere else. */
export class SchemaDocument {
  readonly root: JsonSchema;
  readonly dialect: Dialect;
  /** Some subschema asks what others have evaluated. */
  tracksEvaluation = false;
  /** Some reference depends on the way it was reached. */
  hasDynamicRef = false;
  readonly #limits: SchemaBudget;
  readonly #compilePattern: CompilePattern;
  readonly #patterns = new Map<string, MatchesPattern>();
  readonly #resources = new Map<string, SchemaResource>();
  readonly #homes = new Map<object, SchemaResource>();

  constructor(root: JsonSchema, limits: SchemaBudget, compilePattern: CompilePattern) {
    this.root = root;
    this.#limits = limits;
    this.#compilePattern = compilePattern;
    this.dialect = dialectOf(root);
    this.#visit(root, this.#addResource("schema:///", root), 0);
  }

  /** The resource a subschema belongs to. */
  homeOf(schema: JsonSchema): SchemaResource {
    return this.#homes.get(schema) as SchemaResource;
  }

  pattern(source: string): MatchesPattern {
    const known = this.#patterns.get(source);
    if (known) return known;
    const matches = this.#compilePattern(source);
    this.#patterns.set(source, matches);
    return matches;
  }

  resolve(ref: string, from: JsonSchema): unknown {
    const [uri = "", fragment = ""] = ref.split("#", 2);
    const home = this.homeOf(from);
    const resource = uri ? this.#resources.get(toAbsolute(uri, home.uri)) : home;
    if (!resource) {
      throw new SchemaRefusedError(
        "remote-ref",
        `The reference ${quote(ref)} points outside the schema; references are never fetched.`,
      );
    }
    const name = decode(fragment);
    const target = /^(\/|$)/.test(name)
      ? this.#follow(name, resource)
      : (resource.anchors.get(name) ?? resource.dynamicAnchors.get(name));
    if (target === undefined) {
      throw new SchemaRefusedError(
        "unresolved-ref",
        `The reference ${quote(ref)} points at nothing in the schema.`,
      );
    }
    return target;
  }

  /** The target of a `$dynamicRef`; the anchors by their resource where that depends on the way it was reached. */
  resolveDynamic(ref: string, from: JsonSchema): unknown {
    const target = this.resolve(ref, from);
    const name = isObject(target) ? target.$dynamicAnchor : undefined;
    if (typeof name !== "string" || !ref.endsWith(`#${name}`)) return target;
    const anchors = new Map<SchemaResource, JsonSchema>();
    for (const resource of this.#resources.values()) {
      const anchor = resource.dynamicAnchors.get(name);
      if (anchor) anchors.set(resource, anchor);
    }
    return anchors;
  }

  #follow(pointer: string, resource: SchemaResource): unknown {
    let target: unknown = resource.root;
    for (const part of pointer.split("/").slice(1)) {
      const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
      if (typeof target !== "object" || target === null || !Object.hasOwn(target, key)) return undefined;
      target = (target as Record<string, unknown>)[key];
    }
    if (isObject(target) && !this.#homes.has(target)) this.#visit(target, resource, 0);
    return target;
  }

  #visit(schema: unknown, parent: SchemaResource, depth: number): void {
    if (!isObject(schema) || this.#homes.has(schema)) return;
    const resource = this.#enter(schema, parent);
    this.#homes.set(schema, resource);
    if (this.#homes.size > this.#limits.maxSubschemas) {
      throw new SchemaRefusedError(
        "too-many-subschemas",
        `The schema has more than ${this.#limits.maxSubschemas} subschemas.`,
      );
    }
    if (depth > this.#limits.maxDepth) {
      throw new SchemaRefusedError(
        "too-deep",
        `The schema nests deeper than ${this.#limits.maxDepth} levels.`,
      );
    }
    for (const [keyword, value] of Object.entries(schema)) {
      if (singleSubschemaKeywords.has(keyword)) this.#visit(value, resource, depth + 1);
      if (subschemaListKeywords.has(keyword) && Array.isArray(value))
        for (const item of value) this.#visit(item, resource, depth + 1);
      if (subschemaMapKeywords.has(keyword) && isObject(value)) {
        for (const item of Object.values(value)) this.#visit(item, resource, depth + 1);
      }
      this.tracksEvaluation ||= keyword.startsWith("unevaluated");
      this.hasDynamicRef ||= keyword === "$dynamicRef";
    }
  }

  #enter(schema: JsonSchema, parent: SchemaResource): SchemaResource {
    const { $id, $anchor, $dynamicAnchor, $ref } = schema;
    let resource = parent;
    if (typeof $id === "string" && !(this.dialect.refStandsAlone && $ref !== undefined)) {
      const [uri, fragment] = $id.split("#", 2);
      if (uri) resource = this.#addResource(toAbsolute(uri, parent.uri), schema);
      if (fragment) resource.anchors.set(fragment, schema);
    }
    if (typeof $anchor === "string") resource.anchors.set($anchor, schema);
    if (typeof $dynamicAnchor === "string") resource.dynamicAnchors.set($dynamicAnchor, schema);
    return resource;
  }

  #addResource(uri: string, root: JsonSchema): SchemaResource {
    const resource = { uri, root, anchors: new Map(), dynamicAnchors: new Map() };
    this.#resources.set(uri, resource);
    return resource;
  }
}

function toAbsolute(uri: string, base: string): string {
  try {
    return new URL(uri, base).href;
  } catch {
    throw new SchemaRefusedError("unresolved-ref", `${quote(uri)} is not a valid reference.`);
  }
}

function decode(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    throw new SchemaRefusedError("unresolved-ref", `${quote(fragment)} is not a valid fragment.`);
  }
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 200));
}
