import fc from "fast-check";
import { afterAll, describe, expect } from "vitest";
import { SchemaRefusedError } from "../../src/schema/error.ts";
import type { JsonSchema } from "../../src/schema/json-schema.ts";
import { compilePeerValidator } from "../../src/schema/validator/peer-validator.ts";
import { compileValidator } from "../../src/schema/validator/validator.ts";
import { fuzz, fuzzed } from "../support/fuzz.ts";

describe("any schema and any value", () => {
  const name = fc.constantFrom("a", "b", "__proto__", "constructor", "toString", "");
  const junk = fc.jsonValue({ maxDepth: 2 });
  const reference = fc.constantFrom(
    "#",
    "#/$defs/a",
    "#/properties/a",
    "#x",
    "#/items",
    "b",
    "http://x/#y",
    "#/%",
    "",
  );
  const pattern = fc.oneof(
    fc.constantFrom("^a+$", "(", "[^]", "(?=a)b", "^(?!a)b", "\\p{L}", "a{2,3}", "\\1"),
    fc.string(),
  );
  const count = fc.oneof(fc.integer({ min: -1, max: 4 }), fc.double());
  const { schema } = fc.letrec<{ schema: JsonSchema | boolean }>((tie) => {
    const one = tie("schema");
    const many = fc.array(one, { maxLength: 3 });
    const named = fc.dictionary(name, one, { maxKeys: 3 });
    const names = fc.array(name, { maxLength: 3 });
    const keywords: Record<string, fc.Arbitrary<unknown>> = {
      type: fc.oneof(
        fc.constantFrom("string", "number", "integer", "object", "array", "null", "boolean"),
        junk,
      ),
      enum: fc.array(junk, { maxLength: 3 }),
      const: junk,
      multipleOf: count,
      minimum: count,
      exclusiveMaximum: count,
      minLength: count,
      maxLength: count,
      pattern,
      items: fc.oneof(one, many),
      prefixItems: many,
      contains: one,
      minContains: count,
      maxContains: count,
      uniqueItems: fc.boolean(),
      unevaluatedItems: one,
      properties: named,
      patternProperties: fc.dictionary(pattern, one, { maxKeys: 2 }),
      additionalProperties: one,
      propertyNames: one,
      required: names,
      dependentRequired: fc.dictionary(name, names, { maxKeys: 2 }),
      dependentSchemas: named,
      minProperties: count,
      unevaluatedProperties: one,
      allOf: many,
      anyOf: many,
      oneOf: many,
      not: one,
      if: one,
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
      then: one,
      else: one,
      $ref: reference,
      $dynamicRef: reference,
      $anchor: fc.constant("x"),
      $dynamicAnchor: fc.constant("x"),
      $id: fc.constantFrom("b", "http://x/", "#x", "%"),
      $schema: fc.constantFrom(
        "http://json-schema.org/draft-07/schema#",
        "https://json-schema.org/draft/2019-09/schema",
      ),
      $defs: named,
    };
    const choose = fc.subarray(Object.keys(keywords), { minLength: 0, maxLength: 5 });
    const object = choose.chain((chosen) =>
      fc.record(
        Object.fromEntries(
          chosen.map((keyword) => [
            keyword,
            fc.oneof(
              { weight: 12, arbitrary: keywords[keyword] as fc.Arbitrary<unknown> },
              { weight: 1, arbitrary: junk },
            ),
          ]),
        ),
      ),
    );
    return {
      schema: fc.oneof({ maxDepth: 4, withCrossShrink: true }, fc.boolean(), object) as fc.Arbitrary<
        JsonSchema | boolean
      >,
    };
  });

  const prototype = Object.getOwnPropertyNames(Object.prototype);
  let compiled = 0;
  afterAll(() => {
    expect(compiled).toBeGreaterThan(fuzzed(100, 500));
    expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(prototype);
  });

  const given = fc.tuple(schema, fc.jsonValue({ maxDepth: 4 }));
  fuzz("JSON Schema", "end in a verdict or a typed refusal, and touch nothing else", given, async (pair) => {
    const text = JSON.stringify(pair);
    const [schema, value] = pair;
    try {
      const verdict = (await compilePeerValidator(schema)).validate(value);
      compiled++;
      if (!verdict.ok) expect(verdict.issues.length).toBeGreaterThan(0);
      expect(compileValidator(schema, { trust: "own" }).validate(value).ok).toBe(verdict.ok);
    } catch (error) {
      if (!(error instanceof SchemaRefusedError)) throw error;
    }
    expect(JSON.stringify(pair)).toBe(text);
  });
});
