import { SchemaConversionError } from "./error.ts";
import type { JsonSchema } from "./json-schema.ts";
import { compileValidator, type Validator } from "./validator/validator.ts";

const TEXT = { type: "string" };
const TEXTS = { type: "array", items: TEXT };
const TITLED = {
  type: "array",
  items: { type: "object", required: ["const", "title"], properties: { const: TEXT, title: TEXT } },
};
const ABSENT = (...keywords: string[]) => Object.fromEntries(keywords.map((keyword) => [keyword, false]));
const STRUCTURE = ABSENT(
  "$ref",
  "$dynamicRef",
  "allOf",
  "anyOf",
  "not",
  "if",
  "properties",
  "additionalProperties",
);
const NO_CHOICE = ABSENT("enum", "oneOf", "items");

const when = (type: string, rule: JsonSchema): JsonSchema => ({
  if: { properties: { type: { const: type } } },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
  then: rule,
});

const ITEMS = {
  type: "object",
  anyOf: [{ required: ["type", "enum"] }, { required: ["anyOf"] }],
  properties: {
    type: { const: "string" },
    enum: TEXTS,
    anyOf: TITLED,
    ...ABSENT("$ref", "items", "properties"),
  },
};

/** The schema of form schemas: the union of what the revisions with elicitation allow. */
const FORM = {
  required: ["type", "properties"],
  properties: {
    $schema: true,
    type: { const: "object" },
    properties: { type: "object", additionalProperties: { $ref: "#/$defs/property" } },
    required: TEXTS,
    title: true,
    description: true,
    additionalProperties: true,
  },
  additionalProperties: false,
  $defs: {
    property: {
      type: "object",
      required: ["type"],
      properties: { type: { enum: ["string", "number", "integer", "boolean", "array"] }, ...STRUCTURE },
      allOf: [
        when("string", {
          properties: {
            format: { enum: ["email", "uri", "date", "date-time"] },
            enum: TEXTS,
            enumNames: TEXTS,
            oneOf: TITLED,
            items: false,
            default: TEXT,
          },
        }),
        when("number", { properties: { ...NO_CHOICE, default: { type: "number" } } }),
        when("integer", { properties: { ...NO_CHOICE, default: { type: "integer" } } }),
        when("boolean", { properties: { ...NO_CHOICE, default: { type: "boolean" } } }),
        when("array", { required: ["items"], properties: { items: ITEMS, default: TEXTS } }),
      ],
    },
  },
};

let validator: Validator | undefined;

/** Throws unless a schema is a form that every client can show: a flat object of primitives and choices. */
export function assertFormSchema(schema: JsonSchema): void {
  validator ??= compileValidator(FORM, { trust: "own" });
  const checked = validator.validate(schema);
  if (checked.ok) return;
  const faults = checked.issues.map(({ path, message }) => `${path || "the schema"} ${message}`);
  throw new SchemaConversionError(
    `A form must be a flat object of primitives and choices: ${faults.join("; ")}.`,
  );
}
