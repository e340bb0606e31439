import { describe, expect, it } from "vitest";
import type { JsonSchema } from "../../../src/schema/json-schema.ts";
import { compileValidator } from "../../../src/schema/validator/validator.ts";

function issuesOf(schema: JsonSchema, value: unknown): string[] {
  const checked = compileValidator(schema, { trust: "own" }).validate(value);
  return checked.ok ? [] : checked.issues.map(({ path, message }) => `${path}: ${message}`);
}

describe("what a model reads about a wrong value", () => {
  it.each<[string, JsonSchema, unknown, string]>([
    ["a wrong type", { type: "string" }, 5, ": expected string, got number"],
    ["one of several types", { type: ["string", "null"] }, [], ": expected string or null, got array"],
    ["a fraction for an integer", { type: "integer" }, 1.5, ": expected integer, got 1.5"],
    ["a number that JSON can't carry", { type: "number" }, Number.NaN, ": expected number, got NaN"],
    ["a constant", { const: "x" }, "y", ': must be "x"'],
    ["a choice", { enum: ["a", "b", 3] }, "c", ': must be one of "a", "b", 3'],
    [
      "a long choice",
      { enum: [...Array(12).keys()] },
      99,
      ": must be one of 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, ...",
    ],
    ["a minimum", { minimum: 5 }, 4, ": must be at least 5"],
    ["a maximum", { maximum: 5 }, 6, ": must be at most 5"],
    ["an exclusive minimum", { exclusiveMinimum: 5 }, 5, ": must be greater than 5"],
    ["an exclusive maximum", { exclusiveMaximum: 5 }, 5, ": must be less than 5"],
    ["a divisor", { multipleOf: 0.1 }, 0.25, ": must be a multiple of 0.1"],
    ["a short string", { minLength: 3 }, "ab", ": must have at least 3 characters"],
    ["a long string", { maxLength: 1 }, "ab", ": must have at most 1 characters"],
    ["a pattern", { pattern: "^a" }, "b", ": must match the pattern ^a"],
    ["few items", { minItems: 1 }, [], ": must have at least 1 items"],
    [
      "repeated items",
      { uniqueItems: true },
      [{ a: 1 }, 2, { a: 1 }],
      ": must not repeat items: 0 and 2 are equal",
    ],
    [
      "nothing that is contained",
      { contains: { type: "null" } },
      [1],
      ": must contain at least 1 matching items",
    ],
    ["few properties", { minProperties: 1 }, {}, ": must have at least 1 properties"],
    ["an unknown property", { properties: {}, additionalProperties: false }, { b: 1 }, "b: is not allowed"],
    ["a property name", { propertyNames: { maxLength: 1 } }, { long: 1 }, "long: is not an allowed name"],
    ["a negation", { not: { type: "string" } }, "a", ": matches what it must not match"],
  ])("names %s", (_, schema, value, expected) => {
    expect(issuesOf(schema, value)).toEqual([expected]);
  });

  it("says what is missing in a value that is too small, too", () => {
    const object = { type: "object", minProperties: 2, required: ["city"] };
    expect(issuesOf(object, {})).toEqual([": must have at least 2 properties", "city: is required"]);
    const array = { type: "array", minItems: 2, items: { type: "string" } };
    expect(issuesOf(array, [1])).toEqual([
      ": must have at least 2 items",
      "[0]: expected string, got number",
    ]);
  });

  it("gives the place of what is wrong inside a value", () => {
    const schema = {
      type: "object",
      properties: {
        address: { type: "object", properties: { city: { type: "string" } }, required: ["city", "zip"] },
        items: { type: "array", items: { type: "number" } },
        "odd key": { type: "boolean" },
      },
    };
    const value = { address: { city: 1 }, items: [1, 2, "3"], "odd key": 0 };
    expect(issuesOf(schema, value)).toEqual([
      "address.city: expected string, got number",
      "address.zip: is required",
      "items[2]: expected number, got string",
      '["odd key"]: expected boolean, got number',
    ]);
  });

  it("shows at most twenty issues", () => {
    const value = Array.from({ length: 100 }, () => "x");
    expect(issuesOf({ items: { type: "number" } }, value)).toHaveLength(20);
  });

  it("cuts keys that are longer than a message should be", () => {
    const [issue] = issuesOf({ additionalProperties: false }, { ["k".repeat(10_000)]: 1 });
    expect(issue?.length).toBeLessThan(120);
  });

  it("treats an undefined member as absent", () => {
    expect(issuesOf({ required: ["a"], additionalProperties: false }, { a: undefined })).toEqual([
      "a: is required",
    ]);
  });
});

describe("what a model reads about alternatives", () => {
  it("joins the types of alternatives that differ by type", () => {
    const schema = { anyOf: [{ type: "string", minLength: 1 }, { type: "null" }] };
    expect(issuesOf(schema, 5)).toEqual([": expected string or null, got number"]);
  });

  it("reports the alternative whose tag matches", () => {
    const schema = {
      oneOf: [
        {
          type: "object",
          properties: { kind: { const: "circle" }, r: { type: "number" } },
          required: ["kind", "r"],
        },
        {
          type: "object",
          properties: { kind: { const: "rect" }, w: { type: "number" } },
          required: ["kind", "w"],
        },
      ],
    };
    expect(issuesOf(schema, { kind: "rect", w: "wide" })).toEqual(["w: expected number, got string"]);
    expect(issuesOf(schema, { kind: "circle" })).toEqual(["r: is required"]);
  });

  it("says so when no alternative is near", () => {
    expect(issuesOf({ anyOf: [{ minimum: 5 }, { multipleOf: 2 }] }, 3)).toEqual([
      ": matches none of the 2 alternatives",
    ]);
  });

  it("says so when too many alternatives match", () => {
    expect(issuesOf({ oneOf: [{ minimum: 1 }, { maximum: 5 }] }, 3)).toEqual([
      ": matches more than one of the alternatives, and may match only one",
    ]);
  });

  it("does not report what it only tried", () => {
    const schema = { if: { required: ["phone"] }, else: { required: ["email"] } };
    expect(issuesOf(schema, {})).toEqual(["email: is required"]);
  });
});
