import { SchemaRefusedError } from "../error.ts";
import { isObject, type JsonSchema } from "../json-schema.ts";
import type { SchemaDocument } from "./document.ts";
import type { Matches } from "./pattern.ts";
import type { Check } from "./run.ts";

/** What a keyword asks for while it is compiled. */
export interface Compiling {
  readonly document: SchemaDocument;
  /** The check of a subschema for a member of the value. */
  child(schema: unknown): Check;
  /** The check of a subschema of `from` for the value itself. */
  inPlace(schema: unknown, from: JsonSchema): Check;
  /** The check of what a reference names, compiled later: a chain of references must not become a chain of calls. */
  reference(schema: unknown, from?: JsonSchema): Check;
  pattern(source: string): Matches;
}

/** Makes the check of a keyword, which is present in the schema. */
export type Compile = (schema: JsonSchema, compiling: Compiling, keyword: string) => Check;

/** The keyword table: keywords that are checked together share their function. */
export type Keywords = Readonly<Record<string, Compile>>;

export function numberOf(schema: JsonSchema, keyword: string): number {
  const value = schema[keyword];
  if (typeof value === "number") return value;
  throw malformed(keyword, "a number");
}

export function textOf(schema: JsonSchema, keyword: string): string {
  const value = schema[keyword];
  if (typeof value === "string") return value;
  throw malformed(keyword, "a string");
}

/** An absent list is empty. */
export function listOf(schema: JsonSchema, keyword: string): readonly unknown[] {
  const value = schema[keyword] ?? [];
  if (Array.isArray(value)) return value;
  throw malformed(keyword, "an array");
}

export function namesOf(schema: JsonSchema, keyword: string): readonly string[] {
  const names = listOf(schema, keyword);
  if (names.every((name) => typeof name === "string")) return names;
  throw malformed(keyword, "an array of strings");
}

/** An absent object is empty. */
export function entriesOf(schema: JsonSchema, keyword: string): [string, unknown][] {
  const value = schema[keyword] ?? {};
  if (isObject(value)) return Object.entries(value);
  throw malformed(keyword, "an object");
}

export function malformed(keyword: string, wanted: string): SchemaRefusedError {
  return new SchemaRefusedError("malformed", `"${keyword}" must be ${wanted}.`);
}
