import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { compileSchema } from "../../src/schema/compile.ts";
import { SchemaConversionError } from "../../src/schema/error.ts";
import type { JsonSchema } from "../../src/schema/json-schema.ts";
import { isStandardSchema } from "../../src/schema/standard-schema.ts";
import { loadConverters } from "./load-converters.ts";

await loadConverters();

const TOOL = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  $defs: {
    address: {
      $anchor: "addressDef",
      type: "object",
      properties: { street: { type: "string" }, city: { type: "string" } },
    },
  },
  properties: {
    name: { type: "string" },
    address: { $ref: "#/$defs/address" },
    contactMethod: { type: "string", enum: ["phone", "email"] },
    phone: { type: "string" },
    email: { type: "string" },
  },
  allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
  if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
  then: { required: ["phone"] },
  else: { required: ["email"] },
  additionalProperties: false,
};

describe("a plain JSON Schema", () => {
  it("is kept word for word, and validated against", async () => {
    const compiled = compileSchema(TOOL, "input");
    expect(JSON.stringify(compiled.jsonSchema)).toBe(JSON.stringify(TOOL));
    expect(await compiled.validate({ contactMethod: "phone", phone: "1" })).toMatchObject({ ok: true });
    expect(await compiled.validate({ contactMethod: "phone", email: "a@b.c" })).toEqual({
      ok: false,
      issues: [{ path: "phone", message: "is required" }],
    });
    expect(await compiled.validate({ email: "a@b.c", address: { street: 5 } })).toEqual({
      ok: false,
      issues: [{ path: "address.street", message: "expected string, got number" }],
    });
  });

  it("is copied, so that later changes to the user's object change nothing", async () => {
    const mine = { type: "object", properties: { a: { type: "string" } } };
    const compiled = compileSchema(mine, "input");
    mine.properties.a.type = "number";
    expect(compiled.jsonSchema).toEqual({ type: "object", properties: { a: { type: "string" } } });
    expect(await compiled.validate({ a: "text" })).toMatchObject({ ok: true });
    expect(Object.isFrozen(mine)).toBe(false);
    expect(Object.isFrozen(compiled.jsonSchema.properties)).toBe(true);
  });

  it("returns the value itself", async () => {
    const value = { a: 1 };
    expect(await compileSchema({ type: "object" }, "input").validate(value)).toEqual({ ok: true, value });
  });

  it("waits at most for its first value", async () => {
    const { validate } = compileSchema({ type: "object", required: ["a"] }, "input");
    await validate({ a: 1 });
    expect(validate({ a: 1 })).toEqual({ ok: true, value: { a: 1 } });
    expect(validate({})).toEqual({ ok: false, issues: [{ path: "a", message: "is required" }] });
  });

  it("may share parts, but not contain itself", () => {
    const text = { type: "string" };
    expect(() => compileSchema({ type: "object", properties: { a: text, b: text } }, "input")).not.toThrow();
    const circular: Record<string, unknown> = { type: "object" };
    circular.properties = { self: circular };
    expect(() => compileSchema(circular, "input")).toThrow(SchemaConversionError);
    expect(() => compileSchema(circular, "input")).toThrow('use "$ref"');
  });

  it.each<[string, unknown, string]>([
    ["a function", () => true, '"check" is a function'],
    ["a bigint", 5n, '"check" is a bigint'],
    ["a schema of a library", z.string(), '"check" is a ZodString'],
    ["a schema that is a plain object", v.string(), '"reference" is a function'],
    ["an instance of a class", new Map(), '"check" is a Map'],
  ])("with %s inside is refused", (_, check, message) => {
    const schema = { type: "object", properties: { a: { check } } };
    expect(() => compileSchema(schema as JsonSchema, "input")).toThrow(message);
  });

  it.each<[string, JsonSchema, string]>([
    ["a remote reference", { type: "object", $ref: "https://example.com/x" }, "never fetched"],
    [
      "a reference to nothing",
      { type: "object", properties: { a: { $ref: "#/$defs/b" } } },
      "points at nothing",
    ],
    ["a bad pattern", { type: "object", properties: { a: { pattern: "(" } } }, "is not a regular expression"],
    ["a wrong keyword", { type: "object", required: "a" }, '"required" must be an array'],
  ])("with %s is refused as a conversion error with its cause", (_, schema, message) => {
    expect(() => compileSchema(schema, "input")).toThrow(message);
    expect(() => compileSchema(schema, "input")).toThrow(
      expect.objectContaining({
        code: "schema-conversion",
        cause: expect.objectContaining({ code: "schema-refused" }),
      }),
    );
  });

  it("in draft 7 is validated as draft 7", async () => {
    const $schema = "http://json-schema.org/draft-07/schema#";
    const schema = {
      $schema,
      type: "object",
      properties: { pair: { items: [{ type: "string" }], additionalItems: false } },
    };
    const compiled = compileSchema(schema, "input");
    expect(await compiled.validate({ pair: ["a"] })).toMatchObject({ ok: true });
    expect(await compiled.validate({ pair: ["a", "b"] })).toMatchObject({
      ok: false,
      issues: [{ path: "pair[1]" }],
    });
  });

  it("keeps own names that objects inherit", async () => {
    const schema = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}') as JsonSchema;
    const compiled = compileSchema(schema, "input");
    expect(JSON.stringify(compiled.jsonSchema)).toBe(JSON.stringify(schema));
    expect(await compiled.validate(JSON.parse('{"__proto__":5}'))).toMatchObject({ ok: false });
  });
});

describe("anything else", () => {
  it.each<[string, unknown]>([
    ["null", null],
    ["text", "object"],
    ["a list", []],
    ["a function", () => ({})],
    ["an instance of a class", new (class Schema {})()],
  ])("such as %s is refused with what a schema may be", (_, schema) => {
    expect(() => compileSchema(schema as JsonSchema, "output")).toThrow("A schema must be a Standard Schema");
  });
});

describe("$schema", () => {
  it("is left out of a converted schema unless it is asked for", () => {
    const schema = z.object({ a: z.string() });
    expect(compileSchema(schema, "input").jsonSchema).not.toHaveProperty("$schema");
    const [first] = Object.entries(compileSchema(schema, "input", { dialect: true }).jsonSchema);
    expect(first).toEqual(["$schema", "https://json-schema.org/draft/2020-12/schema"]);
  });
});

describe("isStandardSchema", () => {
  it("knows schemas, also those that are functions, from other things", () => {
    const callable = Object.assign(() => 0, z.string());
    Object.defineProperty(callable, "~standard", { value: z.string()["~standard"] });
    for (const schema of [z.string(), v.string(), callable]) expect(isStandardSchema(schema)).toBe(true);
    for (const other of [null, undefined, 5, "~standard", {}, { "~standard": {} }, { "~standard": null }]) {
      expect(isStandardSchema(other)).toBe(false);
    }
  });
});
