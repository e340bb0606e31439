import { describe, expect, it } from "vitest";
import { z } from "zod";
import { compileSchema } from "../../src/schema/compile.ts";
import type { JsonSchema } from "../../src/schema/json-schema.ts";

/** A schema of a library that converts itself to the given JSON Schema. */
function giving(json: Record<string, unknown>) {
  const validate = (value: unknown) => ({ value });
  const jsonSchema = { input: () => json, output: () => json };
  return { "~standard": { version: 1 as const, vendor: "test", validate, jsonSchema } };
}

function conservative(json: Record<string, unknown>): JsonSchema {
  return compileSchema(giving(json), "output").jsonSchema;
}

describe("a converted schema", () => {
  it("has references inlined and unused definitions dropped", () => {
    const address = z.object({ street: z.string() }).meta({ id: "Address" });
    const schema = z.object({ home: address, work: address.describe("Where you work") });
    const inlined = { type: "object", properties: { street: { type: "string" } }, required: ["street"] };
    expect(compileSchema(schema, "input").jsonSchema).toEqual({
      type: "object",
      properties: { home: inlined, work: { ...inlined, description: "Where you work" } },
      required: ["home", "work"],
    });
  });

  it("keeps what stands beside a reference and is more than a description", () => {
    expect(
      conservative({ $ref: "#/$defs/a", minLength: 3, $defs: { a: { type: "string", minLength: 1 } } }),
    ).toEqual({
      allOf: [{ type: "string", minLength: 1 }],
      minLength: 3,
    });
  });

  it("keeps references that recurse, with their definitions", () => {
    const list = { type: "object", properties: { next: { $ref: "#/definitions/list" } } };
    const json = {
      type: "object",
      properties: { l: { $ref: "#/definitions/list" } },
      definitions: { list, spare: {} },
    };
    expect(conservative(json)).toEqual({
      type: "object",
      properties: { l: { $ref: "#/definitions/list" } },
      $defs: { list },
    });
  });

  it("says at the root what it is, even if the root recurses", () => {
    const node = z
      .object({
        get next() {
          return node.optional();
        },
      })
      .meta({ id: "Node" });
    const { jsonSchema } = compileSchema(node, "input");
    expect(jsonSchema).toMatchObject({ type: "object", properties: { next: { $ref: "#/$defs/Node" } } });
  });

  it("that is a union of objects says that it is an object", () => {
    const schema = z.discriminatedUnion("t", [
      z.object({ t: z.literal("a") }),
      z.object({ t: z.literal("b") }),
    ]);
    const { jsonSchema } = compileSchema(schema, "input");
    expect(Object.keys(jsonSchema)).toEqual(["type", "oneOf"]);
    expect(() => compileSchema(z.union([z.object({}), z.string()]), "input")).toThrow('"type": "object"');
  });

  it("leaves out what says nothing", () => {
    const json = {
      type: "object",
      properties: {
        i: { type: "integer", minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
        r: { type: "object", propertyNames: { type: "string" }, additionalProperties: {} },
        s: { type: "string", format: "starts_with", pattern: "^a" },
      },
    };
    expect(conservative(json).properties).toEqual({
      i: { type: "integer" },
      r: { type: "object" },
      s: { type: "string", pattern: "^a" },
    });
  });

  it("gives a choice of strings its type", () => {
    expect(conservative({ enum: ["a", "b"] })).toEqual({ type: "string", enum: ["a", "b"] });
    expect(conservative({ enum: ["a", 1] })).toEqual({ enum: ["a", 1] });
  });

  it("is not changed where it only looks like a schema", () => {
    const data = { $ref: "#/$defs/a", additionalProperties: {}, enum: ["x"] };
    const json = {
      type: "object",
      properties: { enum: { type: "string" } },
      default: data,
      examples: [data],
    };
    expect(conservative(json)).toEqual(json);
  });

  it("keeps the metadata that its author gave", () => {
    const schema = z.object({
      a: z.string().meta({ "x-mcp-header": "Region", examples: ["eu"], deprecated: true }),
    });
    expect(compileSchema(schema, "input").jsonSchema.properties).toEqual({
      a: { type: "string", "x-mcp-header": "Region", examples: ["eu"], deprecated: true },
    });
  });

  it("that would explode when inlined is refused", () => {
    const $defs: Record<string, unknown> = { d0: { type: "string" } };
    for (let level = 1; level < 30; level++) {
      $defs[`d${level}`] = { anyOf: [{ $ref: `#/$defs/d${level - 1}` }, { $ref: `#/$defs/d${level - 1}` }] };
    }
    expect(() => conservative({ $ref: "#/$defs/d29", $defs })).toThrow("more than 5000 parts");
  });
});
