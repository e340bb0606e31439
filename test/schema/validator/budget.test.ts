import { describe, expect, it } from "vitest";
import type { JsonSchema } from "../../../src/schema/json-schema.ts";
import { compileValidator } from "../../../src/schema/validator/validator.ts";

const OUT_OF_BUDGET = { ok: false, issues: [{ path: "", message: expect.stringContaining("budget") }] };

function doubling(levels: number, keyword: string): JsonSchema {
  const $defs: Record<string, JsonSchema> = { d0: { type: "string" } };
  for (let level = 1; level <= levels; level++) {
    const $ref = `#/$defs/d${level - 1}`;
    $defs[`d${level}`] = { [keyword]: [{ $ref }, { $ref }] };
  }
  return { $defs, $ref: `#/$defs/d${levels}` };
}

describe("the budget of one validation", () => {
  it.each(["allOf", "anyOf", "oneOf"])("ends a bomb of doubling %s", (keyword) => {
    const validator = compileValidator(doubling(23, keyword), { trust: "peer" });
    expect(validator.validate(1)).toEqual(OUT_OF_BUDGET);
  });

  it("is the one that was asked for", () => {
    const schema = { items: { type: "number" } };
    const value = Array.from({ length: 100 }, () => 1);
    const limits = { maxSteps: 50 };
    expect(compileValidator(schema, { trust: "peer", budget: limits }).validate(value)).toEqual(
      OUT_OF_BUDGET,
    );
    expect(compileValidator(schema, { trust: "peer" }).validate(value).ok).toBe(true);
  });

  it("is fresh for each validation", () => {
    const validator = compileValidator(
      { items: { type: "number" } },
      { trust: "peer", budget: { maxSteps: 150 } },
    );
    const value = Array.from({ length: 100 }, () => 1);
    for (let round = 0; round < 10; round++) expect(validator.validate(value).ok).toBe(true);
  });

  it("covers values that nest deeper than the cap", () => {
    const schema = { $defs: { list: { items: { $ref: "#/$defs/list" } } }, $ref: "#/$defs/list" };
    const nest = (levels: number): unknown => (levels ? [nest(levels - 1)] : []);
    const validator = compileValidator(schema, { trust: "peer" });
    expect(validator.validate(nest(64)).ok).toBe(true);
    expect(validator.validate(nest(65))).toEqual(OUT_OF_BUDGET);
  });

  it.each<[string, JsonSchema]>([
    ["a reference to itself", { $dynamicAnchor: "x", $dynamicRef: "#x" }],
    ["a condition on itself", { $dynamicAnchor: "x", if: { $dynamicRef: "#x" } }],
    ["a negation of itself", { $dynamicAnchor: "x", not: { anyOf: [{ oneOf: [{ $dynamicRef: "#x" }] }] } }],
  ])("covers %s that only a run can see", (_, schema) => {
    expect(compileValidator(schema, { trust: "own" }).validate(1)).toEqual(OUT_OF_BUDGET);
  });

  it("leaves room for a result of five thousand rows", () => {
    const row = {
      type: "object",
      properties: {
        id: { type: "integer" },
        name: { type: "string", minLength: 1 },
        tags: { type: "array", items: { type: "string" } },
        at: { type: ["string", "null"] },
      },
      required: ["id", "name"],
      additionalProperties: false,
    };
    const rows = Array.from({ length: 5_000 }, (_, id) => ({
      id,
      name: `row ${id}`,
      tags: ["a", "b"],
      at: null,
    }));
    const validator = compileValidator({ type: "array", items: row }, { trust: "peer" });
    expect(validator.validate(rows).ok).toBe(true);
  });
});
