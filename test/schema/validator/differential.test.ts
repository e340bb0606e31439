import { Validator } from "@cfworker/json-schema";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileValidator } from "../../../src/schema/validator/validator.ts";

type Schema = Record<string, unknown> | boolean;

const names = fc.constantFrom("a", "b", "c", "ab", "x1");
const scalar = fc.oneof(
  fc.integer({ min: -5, max: 5 }),
  fc.constantFrom(0.5, 1.5, "", "a", "ab", "x1", "ä😀", true, false, null),
);
const value = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    scalar,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(names, tie("value"), { maxKeys: 4 }),
  ),
})).value;

const small = fc.nat({ max: 3 });
const type = fc.constantFrom("string", "number", "integer", "boolean", "null", "array", "object");
const pattern = fc.constantFrom("^a", "b$", "[0-9]", "^x1?$");

/** A few of these keywords at a time: all of them together would refuse everything. */
function someOf(keywords: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Schema> {
  const chosen = fc.uniqueArray(fc.constantFrom(...Object.keys(keywords)), { maxLength: 4 });
  return chosen.chain((keys) =>
    fc.record(Object.fromEntries(keys.map((key) => [key, keywords[key] as fc.Arbitrary<unknown>]))),
  );
}

/** Random schemas of every keyword that looks at a value. References are covered by the table below. */
const schema: fc.Arbitrary<Schema> = fc.letrec<{ schema: Schema; object: Schema }>((tie) => {
  const sub = tie("schema");
  const list = fc.array(sub, { minLength: 1, maxLength: 3 });
  const map = fc.dictionary(names, sub, { minKeys: 1, maxKeys: 3 });
  return {
    schema: fc.oneof({ maxDepth: 2 }, fc.boolean() as fc.Arbitrary<Schema>, tie("object")),
    object: someOf({
      type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 })),
      enum: fc.uniqueArray(scalar, { minLength: 1, maxLength: 3 }),
      const: value,
      minimum: fc.integer({ min: -3, max: 3 }),
      exclusiveMaximum: fc.integer({ min: -3, max: 3 }),
      multipleOf: fc.constantFrom(1, 2, 0.5),
      minLength: small,
      maxLength: small,
      pattern,
      minItems: small,
      maxItems: small,
      uniqueItems: fc.boolean(),
      prefixItems: list,
      items: sub,
      contains: sub,
      minContains: small,
      maxContains: small,
      properties: map,
      patternProperties: fc.dictionary(pattern, sub, { minKeys: 1, maxKeys: 2 }),
      additionalProperties: sub,
      propertyNames: sub,
      required: fc.uniqueArray(names, { maxLength: 2 }),
      dependentRequired: fc.dictionary(names, fc.uniqueArray(names, { maxLength: 2 }), { maxKeys: 2 }),
      dependentSchemas: map,
      minProperties: small,
      maxProperties: small,
      allOf: list,
      anyOf: list,
      oneOf: list,
      not: sub,
      if: sub,
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: sub,
      else: sub,
      unevaluatedProperties: sub,
      unevaluatedItems: sub,
    }),
  };
}).object;

// JSON has no objects without a prototype, which the generators make and the other validator tells apart.
const plain = <T>(generated: T): T => JSON.parse(JSON.stringify(generated));

const verdict = (given: Schema, instance: unknown) =>
  compileValidator(given, { trust: "own" }).validate(instance).ok;

it("gives the verdict of another validator on random schemas and values", () => {
  fc.assert(
    fc.property(schema, fc.array(value, { minLength: 1, maxLength: 5 }), (given, instances) => {
      const [ours, theirs] = [plain(given), new Validator(plain(given), "2020-12")];
      for (const instance of plain(instances)) {
        expect(verdict(ours, instance), JSON.stringify(instance)).toBe(theirs.validate(instance).valid);
      }
    }),
    { numRuns: 1000 },
  );
});

describe("references", () => {
  const tree = {
    $id: "https://example.com/tree",
    $defs: {
      node: { $anchor: "node", type: "object", properties: { next: { $ref: "#node" } }, required: ["id"] },
    },
    $ref: "#/$defs/node",
  };
  const dynamic = {
    $id: "https://example.com/strict-list",
    $dynamicAnchor: "item",
    type: "object",
    properties: { value: true, children: { type: "array", items: { $dynamicRef: "#item" } } },
    unevaluatedProperties: false,
  };
  const escaped = {
    $defs: { "a/b": { type: "integer" }, "c~d": { type: "string" }, "e%f": { type: "null" } },
  };

  it.each([
    [tree, { id: 1, next: { id: 2 } }, true],
    [tree, { id: 1, next: { no: 2 } }, false],
    [dynamic, { value: 1, children: [{ value: 2 }] }, true],
    [dynamic, { value: 1, children: [{ other: 2 }] }, false],
    [{ ...escaped, $ref: "#/$defs/a~1b" }, 5, true],
    [{ ...escaped, $ref: "#/$defs/a~1b" }, "5", false],
    [{ ...escaped, $ref: "#/$defs/c~0d" }, "5", true],
    [{ ...escaped, $ref: "#/$defs/e%25f" }, null, true],
    [{ $defs: { a: { $id: "inner", $defs: { b: { const: 1 } } } }, $ref: "inner#/$defs/b" }, 1, true],
    [{ $defs: { a: { $id: "inner", $defs: { b: { const: 1 } } } }, $ref: "inner#/$defs/b" }, 2, false],
    [{ $ref: "#/$defs/a", minimum: 3, $defs: { a: { type: "integer" } } }, 2, false],
    [{ properties: { $ref: { type: "string" } } }, { $ref: 5 }, false],
  ])("%j on %j is %s", (given, instance, expected) => {
    expect(verdict(given, instance)).toBe(expected);
  });
});
