import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod3";
import { compileSchema, type SchemaInput } from "../../src/schema/compile.ts";
import { assertFormSchema } from "../../src/schema/form-schema.ts";
import type { JsonSchema } from "../../src/schema/json-schema.ts";
import { loadConverters } from "../schema/load-converters.ts";

await loadConverters();

function form(property: unknown): JsonSchema {
  return { type: "object", properties: { field: property } };
}

const TITLED = [
  { const: "#FF0000", title: "Red" },
  { const: "#00FF00", title: "Green" },
];

describe("a form may ask for", () => {
  it.each<[string, JsonSchema]>([
    [
      "text",
      {
        type: "string",
        title: "Name",
        description: "Your name",
        minLength: 3,
        maxLength: 50,
        default: "Ada",
      },
    ],
    ["an email", { type: "string", format: "email" }],
    ["a URI", { type: "string", format: "uri" }],
    ["a date", { type: "string", format: "date" }],
    ["a point in time", { type: "string", format: "date-time" }],
    ["text with a pattern", { type: "string", pattern: "^a" }],
    ["a number", { type: "number", minimum: 0, maximum: 100, default: 0.5 }],
    ["an integer", { type: "integer", default: 50 }],
    ["a boolean", { type: "boolean", default: false }],
    ["a choice", { type: "string", enum: ["Red", "Green"], default: "Red" }],
    ["a choice with names", { type: "string", enum: ["r", "g"], enumNames: ["Red", "Green"] }],
    ["a titled choice", { type: "string", oneOf: TITLED, default: "#FF0000" }],
    [
      "several choices",
      { type: "array", minItems: 1, maxItems: 2, items: { type: "string", enum: ["Red"] }, default: ["Red"] },
    ],
    ["several titled choices", { type: "array", items: { anyOf: TITLED }, default: ["#FF0000"] }],
  ])("%s", (_, property) => {
    expect(() => assertFormSchema({ ...form(property), required: ["field"] })).not.toThrow();
  });

  it.each<[string, SchemaInput]>([
    [
      "zod",
      z.object({
        name: z.string(),
        mail: z.email(),
        n: z.int().optional(),
        ok: z.boolean(),
        c: z.enum(["a", "b"]),
      }),
    ],
    [
      "zod 3",
      z3.object({
        name: z3.string(),
        mail: z3.string().email(),
        n: z3.number().int(),
        c: z3.enum(["a", "b"]),
      }),
    ],
    [
      "valibot",
      v.object({
        mail: v.pipe(v.string(), v.email()),
        c: v.picklist(["a", "b"]),
        m: v.array(v.picklist(["a"])),
      }),
    ],
    ["arktype", type({ name: "string", mail: "string.email", c: "'a' | 'b'", ok: "boolean" })],
    ["a shape", { confirm: z.boolean().default(true) }],
  ])("what a flat schema of %s says", (_, schema) => {
    expect(() => assertFormSchema(compileSchema(schema, "input").jsonSchema)).not.toThrow();
  });
});

describe("a form may not ask for", () => {
  it.each<[string, unknown, string]>([
    ["an object", { type: "object", properties: {} }, "properties.field.type must be one of"],
    ["null", { type: "null" }, "properties.field.type must be one of"],
    ["one of several types", { type: ["string", "null"] }, "properties.field.type must be one of"],
    ["anything", {}, "properties.field.type is required"],
    ["true", true, "properties.field expected object, got boolean"],
    ["a reference", { type: "string", $ref: "#/$defs/a" }, "properties.field.$ref is not allowed"],
    ["a union", { type: "string", anyOf: [{ minLength: 1 }] }, "properties.field.anyOf is not allowed"],
    ["a combination", { type: "string", allOf: [] }, "properties.field.allOf is not allowed"],
    [
      "another format",
      { type: "string", format: "uuid" },
      'properties.field.format must be one of "email", "uri"',
    ],
    ["a choice of numbers", { type: "number", enum: [1, 2] }, "properties.field.enum is not allowed"],
    ["a choice of other things", { type: "string", enum: [1] }, "properties.field.enum[0] expected string"],
    [
      "titles without a constant",
      { type: "string", oneOf: [{ title: "Red" }] },
      "properties.field.oneOf[0].const is required",
    ],
    [
      "constants without a title",
      { type: "string", oneOf: [{ const: "r" }] },
      "properties.field.oneOf[0].title is required",
    ],
    ["a list of anything", { type: "array" }, "properties.field.items is required"],
    [
      "a list of text",
      { type: "array", items: { type: "string" } },
      "properties.field.items.enum is required",
    ],
    [
      "a list of objects",
      { type: "array", items: { type: "object", properties: {} } },
      "properties.field.items",
    ],
    ["a list of numbers", { type: "array", items: { type: "number", enum: [1] } }, "properties.field.items"],
    [
      "a default of another type",
      { type: "string", default: 5 },
      "properties.field.default expected string, got number",
    ],
    [
      "a fraction as the default of an integer",
      { type: "integer", default: 1.5 },
      "properties.field.default expected integer",
    ],
    [
      "a default that is no list",
      { type: "array", items: { anyOf: TITLED }, default: "r" },
      "properties.field.default",
    ],
  ])("%s", (_, property, message) => {
    expect(() => assertFormSchema(form(property))).toThrow(message);
    expect(() => assertFormSchema(form(property))).toThrow(
      expect.objectContaining({ code: "schema-conversion" }),
    );
  });

  it.each<[string, JsonSchema, string]>([
    ["be no object", { type: "string" }, 'type must be "object"'],
    ["have no properties", { type: "object" }, "properties is required"],
    ["combine schemas at its root", { ...form({ type: "string" }), allOf: [] }, "allOf is not allowed"],
    ["bring definitions", { ...form({ type: "string" }), $defs: {} }, "$defs is not allowed"],
  ])("and may not %s", (_, schema, message) => {
    expect(() => assertFormSchema(schema)).toThrow(message);
  });

  it("what nests in a schema of a library", () => {
    const { jsonSchema } = compileSchema(z.object({ address: z.object({ city: z.string() }) }), "input");
    expect(() => assertFormSchema(jsonSchema)).toThrow("properties.address");
  });
});
