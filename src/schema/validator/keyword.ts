import { isObject } from "../../lib/json.ts";
import { SchemaRefusedError } from "../error.ts";
import type { JsonSchema } from "../json-schema.ts";
import type { SchemaDocument } from "./document.ts";
import type { SchemaCheck } from "./run.ts";

/** The compiler as keywords see it. */
export interface KeywordContext {
  readonly document: SchemaDocument;
  /** The check of a subschema. */
  child(schema: unknown): SchemaCheck;
  /** The check of what a reference names, compiled later: a chain of references must not become a chain of calls. */
  reference(schema: unknown): SchemaCheck;
}

/** Makes the check of a keyword, which is present in the schema. */
export type CompileKeyword = (schema: JsonSchema, compiling: KeywordContext, keyword: string) => SchemaCheck;

/** The keyword table: keywords that are checked together share their function. */
export type KeywordTable = Readonly<Record<string, CompileKeyword>>;

export function numberAt(schema: JsonSchema, keyword: string): number {
  const value = schema[keyword];
  if (typeof value === "number") return value;
  throw malformed(keyword, "a number");
}

export function stringAt(schema: JsonSchema, keyword: string): string {
  const value = schema[keyword];
  if (typeof value === "string") return value;
  throw malformed(keyword, "a string");
}

/** An absent list is empty. */
export function arrayAt(schema: JsonSchema, keyword: string): readonly unknown[] {
  const value = schema[keyword] ?? [];
  if (Array.isArray(value)) return value;
  throw malformed(keyword, "an array");
}

export function namesAt(schema: JsonSchema, keyword: string): readonly string[] {
  const names = arrayAt(schema, keyword);
  if (names.every((name) => typeof name === "string")) return names;
  throw malformed(keyword, "an array of strings");
}

/** An absent object is empty. */
export function entriesAt(schema: JsonSchema, keyword: string): [string, unknown][] {
  const value = schema[keyword] ?? {};
  if (isObject(value)) return Object.entries(value);
  throw malformed(keyword, "an object");
}

export function malformed(keyword: string, wanted: string): SchemaRefusedError {
  return new SchemaRefusedError("malformed", `"${keyword}" must be ${wanted}.`);
}
