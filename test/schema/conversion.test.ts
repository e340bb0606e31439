import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import * as zm from "zod/mini";
import { z as z3 } from "zod3";
import { z as z40 } from "zod3/v4";
import type { ValidationResult } from "../../src/lib/text/issue.ts";
import { compileSchema, type SchemaInput } from "../../src/schema/compile.ts";
import type { JsonSchema } from "../../src/schema/json-schema.ts";
import { loadConverters } from "./load-converters.ts";

await loadConverters();

/** One logical schema of a member `x`, as each library writes it, and what must come out of all of them. */
interface Row {
  readonly name: string;
  readonly schemas: Readonly<Record<string, SchemaInput>>;
  readonly expected: JsonSchema;
  /** Where a library words the same thing otherwise. */
  readonly differs?: Readonly<Record<string, JsonSchema>>;
  readonly isOptional?: boolean;
  readonly good: readonly unknown[];
  readonly bad: readonly unknown[];
}

const TEXT = { type: "string" };
const NUMBER = { type: "number" };
const EMAIL_OF = (schema: z.ZodType): JsonSchema => ({
  ...TEXT,
  format: "email",
  pattern: patternOf(schema),
});
const UNION = { anyOf: [TEXT, NUMBER] };
const NULLABLE = { anyOf: [TEXT, { type: "null" }] };
const A = {
  type: "object",
  properties: { t: { type: "string", const: "a" }, n: NUMBER },
  required: ["t", "n"],
};
const B = { type: "object", properties: { t: { type: "string", const: "b" } }, required: ["t"] };

function patternOf(schema: z.ZodType): string {
  const { pattern } = z.toJSONSchema(schema);
  return pattern ?? "";
}

const ROWS: readonly Row[] = [
  {
    name: "a string with a description",
    schemas: {
      zod: z.object({ x: z.string().describe("What it is") }),
      "zod 4.0": z40.object({ x: z40.string().describe("What it is") }),
      "zod 3": z3.object({ x: z3.string().describe("What it is") }),
      "zod mini": zm.object({ x: zm.string().check(zm.describe("What it is")) }),
      valibot: v.object({ x: v.pipe(v.string(), v.description("What it is")) }),
      arktype: type({ x: type("string").describe("What it is") }),
    },
    expected: { type: "string", description: "What it is" },
    good: ["", "a"],
    bad: [1, null, undefined],
  },
  {
    name: "a string with a length",
    schemas: {
      zod: z.object({ x: z.string().min(2).max(3) }),
      "zod 4.0": z40.object({ x: z40.string().min(2).max(3) }),
      "zod 3": z3.object({ x: z3.string().min(2).max(3) }),
      "zod mini": zm.object({ x: zm.string().check(zm.minLength(2), zm.maxLength(3)) }),
      valibot: v.object({ x: v.pipe(v.string(), v.minLength(2), v.maxLength(3)) }),
      arktype: type({ x: "2 <= string <= 3" }),
    },
    expected: { type: "string", minLength: 2, maxLength: 3 },
    good: ["ab", "abc"],
    bad: ["a", "abcd"],
  },
  {
    name: "a string with an exact length",
    schemas: {
      zod: z.object({ x: z.string().length(2) }),
      "zod 4.0": z40.object({ x: z40.string().length(2) }),
      "zod 3": z3.object({ x: z3.string().length(2) }),
      valibot: v.object({ x: v.pipe(v.string(), v.length(2)) }),
      arktype: type({ x: "string == 2" }),
    },
    expected: { type: "string", minLength: 2, maxLength: 2 },
    good: ["ab"],
    bad: ["a"],
  },
  {
    name: "an email",
    schemas: {
      zod: z.object({ x: z.email() }),
      "zod 4.0": z40.object({ x: z40.email() }),
      "zod 3": z3.object({ x: z3.string().email() }),
      "zod mini": zm.object({ x: zm.email() }),
      valibot: v.object({ x: v.pipe(v.string(), v.email()) }),
      arktype: type({ x: "string.email" }),
    },
    expected: { type: "string", format: "email" },
    differs: {
      zod: EMAIL_OF(z.email()),
      arktype: { ...TEXT, format: "email", pattern: "^[\\w%+.-]+@[\\d.A-Za-z-]+\\.[A-Za-z]{2,}$" },
    },
    good: ["ada@example.com"],
    bad: ["ada"],
  },
  {
    name: "a URL",
    schemas: {
      zod: z.object({ x: z.url() }),
      "zod 4.0": z40.object({ x: z40.url() }),
      "zod 3": z3.object({ x: z3.string().url() }),
      "zod mini": zm.object({ x: zm.url() }),
      valibot: v.object({ x: v.pipe(v.string(), v.url()) }),
    },
    expected: { type: "string", format: "uri" },
    good: ["https://example.com"],
    bad: ["example"],
  },
  {
    name: "a point in time",
    schemas: {
      "zod 4.0": z40.object({ x: z40.iso.datetime() }),
      "zod 3": z3.object({ x: z3.string().datetime() }),
      "zod mini": zm.object({ x: zm.iso.datetime() }),
      valibot: v.object({ x: v.pipe(v.string(), v.isoTimestamp()) }),
    },
    expected: { type: "string", format: "date-time" },
    good: ["2026-07-28T10:00:00Z"],
    bad: ["yesterday"],
  },
  {
    name: "a pattern",
    schemas: {
      zod: z.object({ x: z.string().regex(/^[a-z]+$/) }),
      "zod 4.0": z40.object({ x: z40.string().regex(/^[a-z]+$/) }),
      "zod 3": z3.object({ x: z3.string().regex(/^[a-z]+$/) }),
      "zod mini": zm.object({ x: zm.string().check(zm.regex(/^[a-z]+$/)) }),
      valibot: v.object({ x: v.pipe(v.string(), v.regex(/^[a-z]+$/)) }),
      arktype: type({ x: /^[a-z]+$/ }),
    },
    expected: { type: "string", pattern: "^[a-z]+$" },
    good: ["abc"],
    bad: ["ABC"],
  },
  {
    name: "a beginning",
    schemas: {
      zod: z.object({ x: z.string().startsWith("a.b") }),
      "zod 4.0": z40.object({ x: z40.string().startsWith("a.b") }),
      "zod 3": z3.object({ x: z3.string().startsWith("a.b") }),
      valibot: v.object({ x: v.pipe(v.string(), v.startsWith("a.b")) }),
    },
    expected: { type: "string", pattern: "^a\\.b" },
    differs: { zod: { ...TEXT, pattern: "^a\\.b.*" }, "zod 4.0": { ...TEXT, pattern: "^a\\.b.*" } },
    good: ["a.bc"],
    bad: ["axbc"],
  },
  {
    name: "an integer with bounds",
    schemas: {
      zod: z.object({ x: z.number().int().min(1).max(9).multipleOf(3) }),
      "zod 4.0": z40.object({ x: z40.number().int().min(1).max(9).multipleOf(3) }),
      "zod 3": z3.object({ x: z3.number().int().min(1).max(9).multipleOf(3) }),
      "zod mini": zm.object({ x: zm.int().check(zm.gte(1), zm.lte(9), zm.multipleOf(3)) }),
      valibot: v.object({
        x: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(9), v.multipleOf(3)),
      }),
    },
    expected: { type: "integer", minimum: 1, maximum: 9, multipleOf: 3 },
    good: [3, 9],
    bad: [0, 4, 12, 3.5],
  },
  {
    name: "a plain integer",
    schemas: {
      zod: z.object({ x: z.int() }),
      "zod 4.0": z40.object({ x: z40.int() }),
      "zod 3": z3.object({ x: z3.number().int() }),
      "zod mini": zm.object({ x: zm.int() }),
      valibot: v.object({ x: v.pipe(v.number(), v.integer()) }),
      arktype: type({ x: "number.integer" }),
    },
    expected: { type: "integer" },
    good: [1],
    bad: [1.5],
  },
  {
    name: "a number between two others",
    schemas: {
      zod: z.object({ x: z.number().gt(1).lt(5) }),
      "zod 4.0": z40.object({ x: z40.number().gt(1).lt(5) }),
      "zod 3": z3.object({ x: z3.number().gt(1).lt(5) }),
      valibot: v.object({ x: v.pipe(v.number(), v.gtValue(1), v.ltValue(5)) }),
      arktype: type({ x: "1 < number < 5" }),
    },
    expected: { type: "number", exclusiveMinimum: 1, exclusiveMaximum: 5 },
    good: [2],
    bad: [1, 5],
  },
  {
    name: "a boolean with a default",
    schemas: {
      zod: z.object({ x: z.boolean().default(true) }),
      "zod 4.0": z40.object({ x: z40.boolean().default(true) }),
      "zod 3": z3.object({ x: z3.boolean().default(true) }),
      "zod mini": zm.object({ x: zm._default(zm.boolean(), true) }),
      valibot: v.object({ x: v.optional(v.boolean(), true) }),
      arktype: type({ x: "boolean = true" }),
    },
    expected: { type: "boolean", default: true },
    differs: { arktype: { type: "boolean" } },
    isOptional: true,
    good: [false, true],
    bad: ["true"],
  },
  {
    name: "an optional string",
    schemas: {
      zod: z.object({ x: z.string().optional() }),
      "zod 4.0": z40.object({ x: z40.string().optional() }),
      "zod 3": z3.object({ x: z3.string().optional() }),
      "zod mini": zm.object({ x: zm.optional(zm.string()) }),
      valibot: v.object({ x: v.optional(v.string()) }),
      arktype: type({ "x?": "string" }),
    },
    expected: TEXT,
    isOptional: true,
    good: ["a"],
    bad: [1, null],
  },
  {
    name: "a string or null",
    schemas: {
      zod: z.object({ x: z.string().nullable() }),
      "zod 4.0": z40.object({ x: z40.string().nullable() }),
      "zod 3": z3.object({ x: z3.string().nullable() }),
      "zod mini": zm.object({ x: zm.nullable(zm.string()) }),
      valibot: v.object({ x: v.nullable(v.string()) }),
      arktype: type({ x: "string | null" }),
    },
    expected: NULLABLE,
    differs: { zod: { type: ["string", "null"] } },
    good: ["a", null],
    bad: [1, undefined],
  },
  {
    name: "an optional string or null",
    schemas: {
      zod: z.object({ x: z.string().nullish() }),
      "zod 4.0": z40.object({ x: z40.string().nullish() }),
      "zod 3": z3.object({ x: z3.string().nullish() }),
      valibot: v.object({ x: v.nullish(v.string()) }),
    },
    expected: NULLABLE,
    differs: { zod: { type: ["string", "null"] } },
    isOptional: true,
    good: ["a", null],
    bad: [1],
  },
  {
    name: "a constant",
    schemas: {
      zod: z.object({ x: z.literal("a") }),
      "zod 4.0": z40.object({ x: z40.literal("a") }),
      "zod 3": z3.object({ x: z3.literal("a") }),
      valibot: v.object({ x: v.literal("a") }),
    },
    expected: { type: "string", const: "a" },
    good: ["a"],
    bad: ["b"],
  },
  {
    name: "a choice of strings",
    schemas: {
      zod: z.object({ x: z.enum(["a", "b"]) }),
      "zod 4.0": z40.object({ x: z40.enum(["a", "b"]) }),
      "zod 3": z3.object({ x: z3.enum(["a", "b"]) }),
      "zod mini": zm.object({ x: zm.enum(["a", "b"]) }),
      valibot: v.object({ x: v.picklist(["a", "b"]) }),
      arktype: type({ x: "'a' | 'b'" }),
    },
    expected: { type: "string", enum: ["a", "b"] },
    good: ["a", "b"],
    bad: ["c"],
  },
  {
    name: "a choice of one",
    schemas: {
      zod: z.object({ x: z.enum(["a"]) }),
      "zod 3": z3.object({ x: z3.enum(["a"]) }),
      valibot: v.object({ x: v.picklist(["a"]) }),
    },
    expected: { type: "string", enum: ["a"] },
    good: ["a"],
    bad: ["b"],
  },
  {
    name: "several constants",
    schemas: {
      zod: z.object({ x: z.literal(["a", 1]) }),
      "zod 4.0": z40.object({ x: z40.literal(["a", 1]) }),
    },
    expected: { enum: ["a", 1] },
    good: ["a", 1],
    bad: ["1"],
  },
  {
    name: "the values of a TypeScript enum",
    schemas: {
      zod: z.object({ x: z.enum({ A: 0, B: 1, 0: "A", 1: "B" }) }),
      "zod 3": z3.object({ x: z3.nativeEnum({ A: 0, B: 1, 0: "A", 1: "B" }) }),
      valibot: v.object({ x: v.enum({ A: 0, B: 1, 0: "A", 1: "B" }) }),
    },
    expected: { type: "number", enum: [0, 1] },
    good: [0, 1],
    bad: [2],
  },
  {
    name: "an array with a size",
    schemas: {
      zod: z.object({ x: z.array(z.string()).min(1).max(2) }),
      "zod 4.0": z40.object({ x: z40.array(z40.string()).min(1).max(2) }),
      "zod 3": z3.object({ x: z3.array(z3.string()).min(1).max(2) }),
      "zod mini": zm.object({ x: zm.array(zm.string()).check(zm.minLength(1), zm.maxLength(2)) }),
      valibot: v.object({ x: v.pipe(v.array(v.string()), v.minLength(1), v.maxLength(2)) }),
      arktype: type({ x: "1 <= string[] <= 2" }),
    },
    expected: { type: "array", items: TEXT, minItems: 1, maxItems: 2 },
    good: [["a"], ["a", "b"]],
    bad: [[], ["a", "b", "c"], [1]],
  },
  {
    name: "a tuple",
    schemas: {
      zod: z.object({ x: z.tuple([z.string(), z.number()]) }),
      "zod 4.0": z40.object({ x: z40.tuple([z40.string(), z40.number()]) }),
      "zod 3": z3.object({ x: z3.tuple([z3.string(), z3.number()]) }),
      valibot: v.object({ x: v.strictTuple([v.string(), v.number()]) }),
      arktype: type({ x: ["string", "number"] }),
    },
    expected: { type: "array", prefixItems: [TEXT, NUMBER], items: false, minItems: 2 },
    differs: { zod: { type: "array", prefixItems: [TEXT, NUMBER], items: false, minItems: 2, maxItems: 2 } },
    good: [["a", 1]],
    bad: [["a"], [1, "a"], ["a", 1, 2]],
  },
  {
    name: "a tuple with a rest",
    schemas: {
      zod: z.object({ x: z.tuple([z.string()], z.number()) }),
      "zod 4.0": z40.object({ x: z40.tuple([z40.string()], z40.number()) }),
      "zod 3": z3.object({ x: z3.tuple([z3.string()]).rest(z3.number()) }),
      valibot: v.object({ x: v.tupleWithRest([v.string()], v.number()) }),
    },
    expected: { type: "array", prefixItems: [TEXT], items: NUMBER, minItems: 1 },
    good: [["a"], ["a", 1, 2]],
    bad: [[], ["a", "b"]],
  },
  {
    name: "a record",
    schemas: {
      zod: z.object({ x: z.record(z.string(), z.number()) }),
      "zod 4.0": z40.object({ x: z40.record(z40.string(), z40.number()) }),
      "zod 3": z3.object({ x: z3.record(z3.number()) }),
      "zod mini": zm.object({ x: zm.record(zm.string(), zm.number()) }),
      valibot: v.object({ x: v.record(v.string(), v.number()) }),
      arktype: type({ x: { "[string]": "number" } }),
    },
    expected: { type: "object", additionalProperties: NUMBER },
    good: [{}, { a: 1 }],
    bad: [{ a: "1" }],
  },
  {
    name: "a union",
    schemas: {
      zod: z.object({ x: z.union([z.string(), z.number()]) }),
      "zod 4.0": z40.object({ x: z40.union([z40.string(), z40.number()]) }),
      "zod 3": z3.object({ x: z3.union([z3.string(), z3.number()]) }),
      valibot: v.object({ x: v.union([v.string(), v.number()]) }),
    },
    expected: UNION,
    differs: { zod: { type: ["string", "number"] } },
    good: ["a", 1],
    bad: [true],
  },
  {
    name: "a union with a tag",
    schemas: {
      zod: z.object({
        x: z.discriminatedUnion("t", [
          z.object({ t: z.literal("a"), n: z.number() }),
          z.object({ t: z.literal("b") }),
        ]),
      }),
      "zod 3": z3.object({
        x: z3.discriminatedUnion("t", [
          z3.object({ t: z3.literal("a"), n: z3.number() }),
          z3.object({ t: z3.literal("b") }),
        ]),
      }),
      valibot: v.object({
        x: v.variant("t", [v.object({ t: v.literal("a"), n: v.number() }), v.object({ t: v.literal("b") })]),
      }),
    },
    expected: { anyOf: [A, B] },
    differs: { zod: { oneOf: [A, B] } },
    good: [{ t: "a", n: 1 }, { t: "b" }],
    bad: [{ t: "a" }, { t: "c" }],
  },
  {
    name: "an intersection",
    schemas: {
      "zod 3": z3.object({ x: z3.object({ p: z3.string() }).and(z3.object({ q: z3.string() })) }),
      "zod 4.0": z40.object({ x: z40.object({ p: z40.string() }).and(z40.object({ q: z40.string() })) }),
      valibot: v.object({ x: v.intersect([v.object({ p: v.string() }), v.object({ q: v.string() })]) }),
    },
    expected: {
      allOf: [
        { type: "object", properties: { p: TEXT }, required: ["p"] },
        { type: "object", properties: { q: TEXT }, required: ["q"] },
      ],
    },
    good: [{ p: "a", q: "b" }],
    bad: [{ p: "a" }],
  },
  {
    name: "a strict object",
    schemas: {
      zod: z.object({ x: z.strictObject({ a: z.string() }) }),
      "zod 4.0": z40.object({ x: z40.strictObject({ a: z40.string() }) }),
      "zod 3": z3.object({ x: z3.object({ a: z3.string() }).strict() }),
      "zod mini": zm.object({ x: zm.strictObject({ a: zm.string() }) }),
      valibot: v.object({ x: v.strictObject({ a: v.string() }) }),
      arktype: type({ x: { "+": "reject", a: "string" } }),
    },
    expected: { type: "object", properties: { a: TEXT }, required: ["a"], additionalProperties: false },
    good: [{ a: "a" }],
    bad: [{ a: "a", b: 1 }],
  },
  {
    name: "a loose object",
    schemas: {
      zod: z.object({ x: z.looseObject({ a: z.string() }) }),
      "zod 4.0": z40.object({ x: z40.looseObject({ a: z40.string() }) }),
      "zod 3": z3.object({ x: z3.object({ a: z3.string() }).passthrough() }),
      valibot: v.object({ x: v.looseObject({ a: v.string() }) }),
      arktype: type({ x: { a: "string" } }),
    },
    expected: { type: "object", properties: { a: TEXT }, required: ["a"] },
    good: [{ a: "a" }, { a: "a", b: 1 }],
    bad: [{ b: 1 }],
  },
  {
    name: "an object with a schema for the rest",
    schemas: {
      zod: z.object({ x: z.object({ a: z.string() }).catchall(z.number()) }),
      "zod 4.0": z40.object({ x: z40.object({ a: z40.string() }).catchall(z40.number()) }),
      "zod 3": z3.object({ x: z3.object({ a: z3.string() }).catchall(z3.number()) }),
      valibot: v.object({ x: v.objectWithRest({ a: v.string() }, v.number()) }),
    },
    expected: { type: "object", properties: { a: TEXT }, required: ["a"], additionalProperties: NUMBER },
    good: [{ a: "a", b: 1 }],
    bad: [{ a: "a", b: "1" }],
  },
  {
    name: "a refinement, a brand and a read-only value",
    schemas: {
      zod: z.object({
        x: z
          .string()
          .refine((text) => text !== "no")
          .brand("Yes"),
      }),
      "zod 4.0": z40.object({
        x: z40
          .string()
          .refine((text) => text !== "no")
          .brand("Yes")
          .readonly(),
      }),
      "zod 3": z3.object({
        x: z3
          .string()
          .refine((text) => text !== "no")
          .brand("Yes")
          .readonly(),
      }),
      valibot: v.object({
        x: v.pipe(
          v.string(),
          v.check((text) => text !== "no"),
          v.brand("Yes"),
          v.readonly(),
        ),
      }),
      arktype: type({ x: type("string").narrow((text) => text !== "no") }),
    },
    expected: TEXT,
    good: ["yes"],
    bad: ["no", 1],
  },
  {
    name: "what goes into a transform",
    schemas: {
      zod: z.object({
        x: z
          .string()
          .min(1)
          .transform((text) => text.length),
      }),
      "zod 4.0": z40.object({
        x: z40
          .string()
          .min(1)
          .transform((text) => text.length),
      }),
      "zod 3": z3.object({
        x: z3
          .string()
          .min(1)
          .transform((text) => text.length),
      }),
      valibot: v.object({
        x: v.pipe(
          v.string(),
          v.minLength(1),
          v.transform((text) => text.length),
          v.minValue(1),
        ),
      }),
      arktype: type({ x: type("string >= 1").pipe((text) => text.length) }),
    },
    expected: { type: "string", minLength: 1 },
    good: ["a"],
    bad: [1, ""],
  },
  {
    name: "what goes through a preprocessor",
    schemas: {
      zod: z.object({ x: z.preprocess((value) => value, z.string()) }),
      "zod 4.0": z40.object({ x: z40.preprocess((value) => value, z40.string()) }),
      "zod 3": z3.object({ x: z3.preprocess((value) => value, z3.string()) }),
    },
    expected: TEXT,
    good: ["a"],
    bad: [1],
  },
  {
    name: "null",
    schemas: {
      zod: z.object({ x: z.null() }),
      "zod 3": z3.object({ x: z3.null() }),
      "zod mini": zm.object({ x: zm.null() }),
      valibot: v.object({ x: v.null() }),
      arktype: type({ x: "null" }),
    },
    expected: { type: "null" },
    good: [null],
    bad: [0],
  },
  {
    name: "title and other metadata",
    schemas: {
      zod: z.object({ x: z.string().meta({ title: "Region", "x-mcp-header": "Region" }) }),
      "zod 4.0": z40.object({ x: z40.string().meta({ title: "Region", "x-mcp-header": "Region" }) }),
      "zod mini": zm.object({
        x: zm.string().register(zm.globalRegistry, { title: "Region", "x-mcp-header": "Region" }),
      }),
      valibot: v.object({
        x: v.pipe(v.string(), v.title("Region"), v.metadata({ "x-mcp-header": "Region" })),
      }),
    },
    expected: { type: "string", title: "Region", "x-mcp-header": "Region" },
    good: ["eu"],
    bad: [1],
  },
];

describe.each(ROWS)("$name", ({ schemas, expected, differs, isOptional, good, bad }) => {
  describe.each(Object.entries(schemas))("in %s", (library, schema) => {
    const compiled = compileSchema(schema, "input");

    it("has its JSON Schema", () => {
      const member = differs?.[library] ?? expected;
      expect(compiled.jsonSchema).toEqual({
        type: "object",
        properties: { x: member },
        ...(isOptional ? {} : { required: ["x"] }),
      });
    });

    it("accepts what it should, at once", () => {
      for (const x of good) expect(compiled.validate({ x }), String(x)).toMatchObject({ ok: true });
    });

    it("refuses what it should, naming the member", () => {
      for (const x of bad) {
        const checked = compiled.validate({ x }) as ValidationResult<unknown>;
        expect(checked.ok, String(x)).toBe(false);
        if (!checked.ok) for (const { path } of checked.issues) expect(path).toMatch(/^x/);
      }
    });
  });
});
