import { isObject, type JsonObject } from "../../lib/json.ts";
import { cutText } from "../../lib/text/well-formed.ts";
import type { ToolInputSchema } from "../../protocol/model/tool.ts";
import { mapSubschemas } from "../../schema/subschemas.ts";
import { withoutHidden } from "./description.ts";
import { isWellFormed, withoutMalformed } from "./keyword-forms.ts";
import { lookUp } from "./local-reference.ts";
import { mergeAllOf, mergeRoot } from "./merge-root.ts";
import { fitPropertyNames } from "./property-names.ts";
import { type ModelProvider, type SchemaProfile, schemaProfiles } from "./schema-profile.ts";

/** One difference between a tool's schema and the one that the model sees. */
export interface SchemaChange {
  /** The place in the schema, such as `properties.city`. */
  readonly path: string;
  readonly keyword: string;
  /** `described`: the constraint is now part of a description. `rewritten`: it means the same in other words. */
  readonly action: "described" | "rewritten";
}

export interface FittedSchema {
  readonly schema: ToolInputSchema;
  readonly changes: readonly SchemaChange[];
}

/** A schema is untrusted: what it may grow to when references are written out. */
const maxParts = 2_000;
const maxDepth = 32;
/** Characters of the parts that are written in place of references. */
const maxWritten = 250_000;
/** The parts, properties and names of required ones that are joined with what is around them. */
const maxJoined = 2_000;
/** Characters of a value in a note, and of a name in a path. */
const maxNote = 200;
const tooLarge = "Any JSON value: the schema is too large to show.";

/**
 * Fits the schema of a tool's arguments to what a provider takes. What the provider does not know is written into
 * descriptions, so that the model still reads it; no property and no `required` is lost.
 */
export function fitSchema(schema: ToolInputSchema, provider: ModelProvider): FittedSchema {
  const fitter = new SchemaFitter(schema, schemaProfiles[provider]);
  return { schema: fitter.fitRoot(), changes: fitter.changes };
}

class SchemaFitter {
  readonly changes: SchemaChange[] = [];
  readonly #root: JsonObject;
  readonly #profile: SchemaProfile;
  #parts = 0;
  #written = 0;
  #joined = 0;

  constructor(root: JsonObject, profile: SchemaProfile) {
    this.#root = root;
    this.#profile = profile;
  }

  fitRoot(): ToolInputSchema {
    const { $schema: _, $id: __, ...root } = this.#root;
    const merged = mergeRoot(this.#resolve(root), (part) => this.#join(part));
    for (const keyword of merged.keywords) this.#note("", keyword, "described");
    const { properties, required, ...others } = merged.schema;
    const named = fitPropertyNames(properties, required);
    if (named.isRenamed) this.#note("properties", "properties", "rewritten");
    const fitted = this.#fit({ ...others, properties: named.properties }, "", []) as Partial<ToolInputSchema>;
    return {
      ...fitted,
      type: "object",
      properties: isObject(fitted.properties) ? fitted.properties : {},
      ...(named.required.length > 0 && { required: named.required }),
    };
  }

  /** The part that a reference names, with its neighbours; only for a part that is joined with what is around it. */
  #resolve(part: JsonObject): JsonObject {
    let resolved = part;
    for (let step = 0; typeof resolved.$ref === "string"; step++) {
      const target = lookUp(this.#root, resolved.$ref);
      if (target === undefined) break;
      const { $ref: _, ...beside } = resolved;
      resolved = step < maxDepth ? { ...this.#write(target), ...beside } : beside;
    }
    return withoutMalformed(resolved);
  }

  /** A part in place of a reference to it, as long as there is room for it. */
  #write(target: JsonObject): JsonObject {
    if (this.#written <= maxWritten) this.#written += JSON.stringify(target).length;
    return this.#written <= maxWritten ? target : { description: tooLarge };
  }

  /** A part to join, as long as there is room for it. */
  #join(part: JsonObject): JsonObject {
    const resolved = this.#resolve(part);
    const { properties, required } = resolved;
    this.#joined += 1 + (isObject(properties) ? Object.keys(properties).length : 0);
    this.#joined += Array.isArray(required) ? required.length : 0;
    return this.#joined <= maxJoined ? resolved : { description: tooLarge };
  }

  #fit(given: unknown, path: string, references: readonly string[]): unknown {
    if (given === true) return {};
    if (given === false) return this.#fit({ not: {} }, path, references);
    if (Array.isArray(given)) return given;
    if (!isObject(given)) return {};
    if (++this.#parts > maxParts || path.split(".").length > maxDepth * 2) {
      this.#note(path, "*", "described");
      return { description: tooLarge };
    }
    if (typeof given.$ref === "string") return this.#fitReference(given, given.$ref, path, references);
    const plain = this.#rewrite(given, path);
    const { kept, notes } = this.#select(plain, path);
    // These decide whether there may be more; `false` is not a schema that shows something.
    const isSwitch = ([keyword, value]: [string, unknown]) =>
      typeof value === "boolean" && booleans.includes(keyword);
    const switches = Object.entries(kept).filter(isSwitch);
    const others = Object.entries(kept).filter((entry) => !isSwitch(entry));
    const mapped = mapSubschemas(Object.fromEntries(others), (part, step) =>
      this.#fit(part, join(path, step), references),
    );
    return withNotes({ ...mapped, ...Object.fromEntries(switches) }, notes);
  }

  #fitReference(given: JsonObject, reference: string, path: string, references: readonly string[]): unknown {
    const { $ref: _, ...beside } = given;
    const target = lookUp(this.#root, reference);
    if (target !== undefined && !this.#profile.inlinesReferences) return given;
    this.#note(
      path,
      "$ref",
      target !== undefined && !references.includes(reference) ? "rewritten" : "described",
    );
    if (target === undefined) return withNotes(beside, [`see ${reference}`]);
    if (references.includes(reference)) {
      const { type } = target;
      return withNotes({ ...beside, ...(type !== undefined && { type }) }, [
        "nested in the same way as the value around it",
      ]);
    }
    return this.#fit({ ...this.#write(target), ...beside }, path, [...references, reference]);
  }

  /** Writes the same in keywords that more providers know. */
  #rewrite(given: JsonObject, path: string): JsonObject {
    const part: Record<string, unknown> = { ...given };
    const knows = (keyword: string) => this.#profile.keywords?.has(keyword) ?? true;
    const rewrite = (keyword: string, change: () => void) => {
      if (part[keyword] === undefined || knows(keyword)) return;
      change();
      this.#note(path, keyword, "rewritten");
    };
    rewrite("const", () => {
      part.enum = [part.const];
      delete part.const;
    });
    rewrite("oneOf", () => {
      if (part.anyOf !== undefined) return;
      part.anyOf = part.oneOf;
      delete part.oneOf;
    });
    rewrite("allOf", () => {
      const merged = mergeAllOf(withoutMalformed(part), (inner) => this.#join(inner));
      for (const key of Object.keys(part)) delete part[key];
      Object.assign(part, merged);
    });
    // Older drafts write items by position so.
    if (Array.isArray(part.items)) {
      part.prefixItems = part.items;
      delete part.items;
      this.#note(path, "items", "rewritten");
    }
    // A list without a type for its items is refused by several providers.
    if (part.type === "array" && part.items === undefined && part.prefixItems === undefined) part.items = {};
    return part;
  }

  /** Separates what the provider knows from what is written into the description. */
  #select(part: JsonObject, path: string): { readonly kept: JsonObject; readonly notes: readonly string[] } {
    const { keywords, formats, enumsAreStrings, inlinesReferences } = this.#profile;
    const kept: Record<string, unknown> = {};
    const notes: string[] = [];
    for (const [keyword, value] of Object.entries(part)) {
      const isUnused = inlinesReferences && (keyword === "$defs" || keyword === "definitions");
      const isKnown = (keywords?.has(keyword) ?? true) && !isUnused;
      const isFormat = keyword !== "format" || formats === undefined || formats.has(String(value));
      const isEnum = keyword !== "enum" || !enumsAreStrings || isListOfStrings(value);
      const isKept = isKnown && isFormat && isEnum && isWellFormed(keyword, value);
      if (isKept) kept[keyword] = keyword === "description" ? withoutHidden(String(value)) : value;
      else if (!ignored.has(keyword)) {
        notes.push(`${keyword}: ${cut(JSON.stringify(value) ?? "")}`);
        this.#note(path, keyword, "described");
      }
    }
    return { kept, notes };
  }

  #note(path: string, keyword: string, action: SchemaChange["action"]): void {
    if (this.changes.length < maxParts) this.changes.push({ path, keyword, action });
  }
}

const booleans: readonly string[] = ["additionalProperties", "unevaluatedProperties", "additionalItems"];

/** Keywords that mean nothing to a model. */
const ignored: ReadonlySet<string> = new Set([
  "$schema",
  "$id",
  "$comment",
  "$defs",
  "definitions",
  "$anchor",
]);

function isListOfStrings(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function withNotes(part: JsonObject, notes: readonly string[]): JsonObject {
  if (notes.length === 0) return part;
  const description = typeof part.description === "string" ? `${part.description} ` : "";
  return { ...part, description: `${description}(${notes.join("; ")})` };
}

function join(path: string, step: string): string {
  return path === "" ? cut(step) : `${path}.${cut(step)}`;
}

function cut(text: string): string {
  return text.length > maxNote ? `${cutText(text, maxNote)}…` : text;
}
