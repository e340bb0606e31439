import { SchemaConversionError } from "./error.ts";
import type { JsonSchema } from "./json-schema.ts";
import { compileValidator, type Validator } from "./validator/validator.ts";

const text = { type: "string" };
const textList = { type: "array", items: text };
const titledChoices = {
  type: "array",
  items: { type: "object", required: ["const", "title"], properties: { const: text, title: text } },
};
const absent = (...keywords: string[]) => Object.fromEntries(keywords.map((keyword) => [keyword, false]));
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

const when = (type: string, rule: JsonSchema): JsonSchema => ({
  if: { properties: { type: { const: type } } },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
  then: rule,
});

const choiceItems = {
  type: "object",
  anyOf: [{ required: ["type", "enum"] }, { required: ["anyOf"] }],
  properties: {
    type: { const: "string" },
    enum: textList,
    anyOf: titledChoices,
    ...absent("$ref", "items", "properties"),
  },
};

/** The schema of form schemas: the union of what the revisions with elicitation allow. */
const formSchema = {
  required: ["type", "properties"],
  properties: {
    $schema: true,
    type: { const: "object" },
    properties: { type: "object", additionalProperties: { $ref: "#/$defs/property" } },
    required: textList,
    title: true,
    description: true,
    additionalProperties: true,
  },
  additionalProperties: false,
  $defs: {
    property: {
      type: "object",
      required: ["type"],
      properties: { type: { enum: ["string", "number", "integer", "boolean", "array"] }, ...noStructure },
      allOf: [
        when("string", {
          properties: {
            format: { enum: ["email", "uri", "date", "date-time"] },
            enum: textList,
            enumNames: textList,
            oneOf: titledChoices,
            items: false,
            default: text,
          },
        }),
        when("number", { properties: { ...noChoice, default: { type: "number" } } }),
        when("integer", { properties: { ...noChoice, default: { type: "integer" } } }),
        when("boolean", { properties: { ...noChoice, default: { type: "boolean" } } }),
        when("array", { required: ["items"], properties: { items: choiceItems, default: textList } }),
      ],
    },
  },
};

let validator: Validator | undefined;

/** Throws unless a schema is a form that every client can show: a flat object of primitives and choices. */
export function assertFormSchema(schema: JsonSchema): void {
  validator ??= compileValidator(formSchema, { trust: "own" });
  const checked = validator.validate(schema);
  if (checked.ok) return;
  const faults = checked.issues.map(({ path, message }) => `${path || "the schema"} ${message}`);
  throw new SchemaConversionError(
    `A form must be a flat object of primitives and choices: ${faults.join("; ")}.`,
  );
}
