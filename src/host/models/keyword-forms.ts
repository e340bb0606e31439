import { isObject, type JsonObject } from "../../lib/json.ts";

type Form = (value: unknown) => boolean;

const typeNames: readonly unknown[] = ["string", "number", "integer", "boolean", "null", "array", "object"];

const isText: Form = (value) => typeof value === "string";
const isNumber: Form = (value) => typeof value === "number";
const isCount: Form = (value) => Number.isInteger(value) && Number(value) >= 0;
const isFilledList: Form = (value) => Array.isArray(value) && value.length > 0;
const isListOfTexts: Form = (value) => Array.isArray(value) && value.every(isText);
const isType: Form = (value) =>
  Array.isArray(value) ? value.length > 0 && value.every(isTypeName) : isTypeName(value);
const isTypeName: Form = (value) => typeNames.includes(value);

const forms: ReadonlyMap<string, Form> = new Map([
  ["type", isType],
  ["required", isListOfTexts],
  ["pattern", isPattern],
  ...haveForm(isText, "description title format $ref"),
  ...haveForm(isFilledList, "enum allOf anyOf oneOf prefixItems"),
  ...haveForm(isObject, "properties patternProperties $defs definitions dependentSchemas dependentRequired"),
  ...haveForm(isCount, "minLength maxLength minItems maxItems minProperties maxProperties"),
  ...haveForm(isNumber, "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf"),
]);

function haveForm(form: Form, keywords: string): [string, Form][] {
  return keywords.split(" ").map((keyword) => [keyword, form]);
}

/** Returns whether a keyword has the form that JSON Schema gives it; providers refuse a whole request for another one. */
export function isWellFormed(keyword: string, value: unknown): boolean {
  return forms.get(keyword)?.(value) ?? true;
}

/** A part of a schema without keywords that can't be read. */
export function withoutMalformed(part: JsonObject): JsonObject {
  const isFine = ([keyword, value]: [string, unknown]) => isWellFormed(keyword, value);
  const entries = Object.entries(part);
  return entries.every(isFine) ? part : Object.fromEntries(entries.filter(isFine));
}

function isPattern(value: unknown): boolean {
  if (typeof value !== "string") return false;
  try {
    new RegExp(value, "u");
    return true;
  } catch {
    // Not a pattern.
    return false;
  }
}
