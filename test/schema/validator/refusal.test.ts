import { describe, expect, it } from "vitest";
import { SchemaRefusedError } from "../../../src/schema/error.ts";
import type { JsonSchema } from "../../../src/schema/json-schema.ts";
import { compilePeerValidator } from "../../../src/schema/validator/peer-validator.ts";
import { compileValidator } from "../../../src/schema/validator/validator.ts";

function refusalOf(schema: unknown, trust: "own" | "peer" = "own"): SchemaRefusedError {
  try {
    compileValidator(schema as JsonSchema, { trust });
  } catch (error) {
    if (error instanceof SchemaRefusedError) return error;
    throw error;
  }
  throw new Error("The schema was not refused.");
}

function nested(levels: number): JsonSchema {
  let schema: JsonSchema = { type: "string" };
  for (let level = 0; level < levels; level++) schema = { properties: { a: schema } };
  return schema;
}

describe("a schema is refused", () => {
  it.each<[string, unknown]>([
    ["a type that does not exist", { type: "text" }],
    ["a type that is no name", { type: 5 }],
    ["a number given as text", { minimum: "5" }],
    ["the boolean form of an exclusive minimum", { exclusiveMinimum: true }],
    ["a required list that is none", { required: true }],
    ["required names that are none", { required: [1] }],
    ["properties in a list", { properties: [] }],
    ["a property that is no schema", { properties: { a: 5 } }],
    ["alternatives outside a list", { anyOf: {} }],
    ["a pattern that is no text", { pattern: 1 }],
    ["a reference that is no text", { $ref: 1 }],
    ["null for a schema", null],
    ["text for a schema", "object"],
    ["a list for a schema", []],
    ["a list of items in 2020-12", { items: [{}] }],
  ])("as malformed for %s", (_, schema) => {
    expect(refusalOf(schema)).toMatchObject({ code: "schema-refused", reason: "malformed" });
  });

  it("for a pattern that is no regular expression", () => {
    expect(refusalOf({ pattern: "(" }).reason).toBe("bad-pattern");
  });

  it.each([{ toString: false }, ["https://json-schema.org/draft/2020-12/schema"], null, 7])(
    "for a dialect that is not a string: %j",
    ($schema) => {
      expect(refusalOf({ $schema }).reason).toBe("unsupported-dialect");
    },
  );

  it("for a dialect that is not supported", () => {
    const error = refusalOf({ $schema: "http://json-schema.org/draft-04/schema#" });
    expect(error.reason).toBe("unsupported-dialect");
    expect(error.message).toContain("draft-04");
  });

  it("for the recursion of 2019-09, which is not supported", () => {
    const $schema = "https://json-schema.org/draft/2019-09/schema";
    expect(refusalOf({ $schema, items: { $recursiveRef: "#" } }).reason).toBe("unsupported-dialect");
  });

  it.each([
    "https://example.com/schema.json",
    "other.json",
    "//example.com/x#/y",
    "file:///etc/passwd",
    "urn:x:y",
  ])("for the reference %s out of the document", ($ref) => {
    expect(refusalOf({ properties: { a: { $ref } } }).reason).toBe("remote-ref");
  });

  it.each([
    "#/$defs/missing",
    "#missing",
    "#/$defs/a/b",
    "#%",
    "#/__proto__",
    "#/constructor",
    "http://[bad",
  ])("for the reference %s to nothing", ($ref) => {
    expect(refusalOf({ $ref, $defs: { a: true } }).reason).toBe("unresolved-ref");
  });

  it.each<[string, JsonSchema]>([
    ["itself", { $ref: "#" }],
    ["itself through allOf", { allOf: [{ $ref: "#" }] }],
    ["itself as one alternative", { anyOf: [{ type: "string" }, { $ref: "#" }] }],
    ["itself in a condition", { if: { $ref: "#" } }],
    ["itself for a present property", { dependentSchemas: { a: { $ref: "#" } } }],
    [
      "each other",
      { $defs: { a: { $ref: "#/$defs/b" }, b: { not: { $ref: "#/$defs/a" } } }, $ref: "#/$defs/a" },
    ],
  ])("for a reference that leads back to %s without descending", (_, schema) => {
    expect(refusalOf(schema).reason).toBe("cyclic-ref");
  });

  it("but not for a recursion that descends", () => {
    const schema = { properties: { child: { $ref: "#" } }, additionalProperties: false };
    const validator = compileValidator(schema, { trust: "peer" });
    expect(validator.validate({ child: { child: {} } }).ok).toBe(true);
    expect(validator.validate({ child: { chidl: {} } }).ok).toBe(false);
  });

  it("for its size, its depth and its number of subschemas, at the caps", () => {
    const limits = { maxBytes: 1_000, maxDepth: 5, maxSubschemas: 10 };
    const compile = (schema: JsonSchema) => () => compileValidator(schema, { trust: "peer", budget: limits });
    expect(compile({ description: "x".repeat(900) })).not.toThrow();
    expect(compile({ description: "x".repeat(1_000) })).toThrow("larger than 1000 bytes");
    expect(compile(nested(5))).not.toThrow();
    expect(compile(nested(6))).toThrow("deeper than 5 levels");
    expect(
      compile({
        allOf: Array(9)
          .fill(0)
          .map(() => ({})),
      }),
    ).not.toThrow();
    expect(
      compile({
        allOf: Array(10)
          .fill(0)
          .map(() => ({})),
      }),
    ).toThrow("more than 10 subschemas");
  });

  it("when it is a circular object", () => {
    const schema: Record<string, unknown> = { type: "object" };
    schema.properties = { self: schema };
    expect(refusalOf(schema).reason).toBe("too-deep");
  });
});

describe("a peer's pattern", () => {
  it("is refused by the synchronous compiler, which has no linear-time engine", () => {
    expect(refusalOf({ pattern: "a" }, "peer").reason).toBe("pattern-engine-not-loaded");
  });

  it("is matched once the engine is loaded", async () => {
    const validator = await compilePeerValidator({
      pattern: "^[a-z]+-\\d{4}$",
      patternProperties: { "^x-": false },
    });
    expect(validator.validate("item-2024").ok).toBe(true);
    expect(validator.validate("item-24").ok).toBe(false);
    expect(validator.validate({ "x-a": 1 }).ok).toBe(false);
  });
});
