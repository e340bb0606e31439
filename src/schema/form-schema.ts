import { isObject } from "../lib/json.ts";
import { maxIssues, toPath } from "../lib/text/issue.ts";
import { SchemaConversionError } from "./error.ts";
import { type JsonSchema, jsonTypeOf } from "./json-schema.ts";

type Path = readonly PropertyKey[];
/** Finds the faults of a value. It works without the validator, so that a program can check its forms when it starts. */
type Rule = (value: unknown, path: Path) => readonly string[];
type Rules = Readonly<Record<string, Rule>>;

const anything: Rule = () => [];
const nothing: Rule = (_, path) => fault(path, "is not allowed");
const text = typed("string", (value) => typeof value === "string");
const textList = listOf(text);
const titledChoices = listOf(record(["const", "title"], () => ({ const: text, title: text })));

const noStructure = absent(
  "$ref",
  "$dynamicRef",
  "allOf",
  "anyOf",
  "not",
  "if",
  "properties",
  "additionalProperties",
);
const noChoice = absent("enum", "oneOf", "items");

const choiceRules = (): Rules => ({
  type: oneOf("string"),
  enum: textList,
  anyOf: titledChoices,
  ...absent("$ref", "items", "properties"),
});
const titledItems = record(["anyOf"], choiceRules);
const plainItems = record(["type", "enum"], choiceRules);
const choiceItems: Rule = (value, path) =>
  isObject(value) && value.anyOf === undefined && (value.type ?? value.enum) !== undefined
    ? plainItems(value, path)
    : titledItems(value, path);

/** The rules for a property of each type. */
const propertyRules: Readonly<Record<string, () => Rules>> = {
  string: () => ({
    format: oneOf("email", "uri", "date", "date-time"),
    enum: textList,
    enumNames: textList,
    oneOf: titledChoices,
    items: nothing,
    default: text,
  }),
  number: () => ({ ...noChoice, default: typed("number", Number.isFinite) }),
  integer: () => ({ ...noChoice, default: typed("integer", Number.isInteger) }),
  boolean: () => ({ ...noChoice, default: typed("boolean", (value) => typeof value === "boolean") }),
  array: () => ({ items: choiceItems, default: textList }),
};

const property: Rule = (value, path) => {
  const type = isObject(value) ? String(value.type) : "";
  const rules = Object.hasOwn(propertyRules, type) ? propertyRules[type]?.() : {};
  const needed = type === "array" ? ["type", "items"] : ["type"];
  const types = oneOf(...Object.keys(propertyRules));
  return record(needed, () => ({ ...noStructure, ...rules, type: types }))(value, path);
};

/** The rules of form schemas: the union of what the revisions with elicitation allow. */
const rootRules: Rules = {
  $schema: anything,
  type: oneOf("object"),
  properties: record([], (properties) =>
    Object.fromEntries(Object.keys(properties).map((name) => [name, property])),
  ),
  required: textList,
  title: anything,
  description: anything,
  additionalProperties: anything,
};
const root = record(["type", "properties"], (schema) => ({
  ...absent(...Object.keys(schema)),
  ...rootRules,
}));

/**
 * Throws unless a schema is a form that every client can show: a flat object of primitives and choices.
 *
 * client/elicitation#requested-schema (2025-11-25)
 */
export function assertFormSchema(schema: JsonSchema): void {
  const faults = root(schema, []);
  if (faults.length === 0) return;
  throw new SchemaConversionError(
    `A form must be a flat object of primitives and choices: ${faults.slice(0, maxIssues).join("; ")}.`,
  );
}

function fault(path: Path, message: string): readonly string[] {
  return [`${toPath(path) || "the schema"} ${message}`];
}

/* @__NO_SIDE_EFFECTS__ */
function absent(...keywords: readonly string[]): Rules {
  return Object.fromEntries(keywords.map((keyword) => [keyword, nothing]));
}

/* @__NO_SIDE_EFFECTS__ */
function typed(type: string, test: (value: unknown) => boolean): Rule {
  return (value, path) => {
    if (test(value)) return [];
    const isFraction = type === "integer" && typeof value === "number";
    return fault(path, `expected ${type}, got ${isFraction ? value : jsonTypeOf(value)}`);
  };
}

/* @__NO_SIDE_EFFECTS__ */
function oneOf(...options: readonly unknown[]): Rule {
  const names = options.map((option) => JSON.stringify(option)).join(", ");
  const message = `must be ${options.length > 1 ? "one of " : ""}${names}`;
  return (value, path) => (options.includes(value) ? [] : fault(path, message));
}

/* @__NO_SIDE_EFFECTS__ */
function listOf(rule: Rule): Rule {
  return (value, path) =>
    Array.isArray(value)
      ? value.flatMap((item, at) => rule(item, [...path, at]))
      : fault(path, `expected array, got ${jsonTypeOf(value)}`);
}

/** An object with these members; members that have no rule may be anything. */
/* @__NO_SIDE_EFFECTS__ */
function record(needed: readonly string[], rulesFor: (value: JsonSchema) => Rules): Rule {
  return (value, path) => {
    if (!isObject(value)) return fault(path, `expected object, got ${jsonTypeOf(value)}`);
    const missing = needed.filter((name) => value[name] === undefined);
    return [
      ...missing.flatMap((name) => fault([...path, name], "is required")),
      ...Object.entries(rulesFor(value)).flatMap(([name, rule]) =>
        Object.hasOwn(value, name) && value[name] !== undefined ? rule(value[name], [...path, name]) : [],
      ),
    ];
  };
}
