// A provider refuses a whole request for one schema that it can't read, so one server must not be able to send one.
import { fitSchema, type ModelProvider, type ModelTool } from "allspeak/host";
import { describe, expect, test } from "vitest";
import { compilePeerValidator } from "../../../src/schema/validator/peer-validator.ts";

type Schema = ModelTool["inputSchema"];

const providers: readonly ModelProvider[] = ["anthropic", "openai", "gemini", "ai-sdk"];

const object = (properties: object, more: object = {}) => ({ type: "object", properties, ...more }) as Schema;

/** Two references to the one below, many times over. */
function bomb(levels: number): Schema {
  const $defs: Record<string, unknown> = { d0: object({ a: { type: "string" } }) };
  for (let level = 1; level <= levels; level++) {
    const reference = { $ref: `#/$defs/d${level - 1}` };
    $defs[`d${level}`] = { allOf: [reference, reference] };
  }
  const top = { $ref: `#/$defs/d${levels}` };
  return object({ plain: {}, bomb: { allOf: [top] } }, { allOf: [top], $defs });
}

const endless: readonly [what: string, schema: Schema][] = [
  ["joins itself", { type: "object", allOf: [{ $ref: "#" }] }],
  [
    "joins a part that joins itself",
    object(
      { a: { allOf: [{ $ref: "#/$defs/a" }] } },
      { allOf: [{ $ref: "#/$defs/a" }], $defs: { a: { allOf: [{ $ref: "#/$defs/a" }] } } },
    ),
  ],
  ["is a reference to itself", { type: "object", $ref: "#" }],
  [
    "is a circle of references",
    { type: "object", $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } },
  ],
  ["doubles 60 times", bomb(60)],
];

const repeat = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** Many references to one definition: as arguments, alternatives, or parts to join. */
function shared(keyword: "properties" | "anyOf" | "allOf", count: number, definition: object): Schema {
  const references = repeat(count, () => ({ $ref: "#/$defs/shared" }));
  const used = keyword === "properties" ? { ...references } : references;
  return { type: "object", [keyword]: used, $defs: { shared: definition } } as Schema;
}

const names = (count: number) => repeat(count, (index) => `p${index}`);

const large: readonly [what: string, schema: Schema][] = [
  ["has 200 alternatives with the same 1,000 names", shared("anyOf", 200, { required: names(1_000) })],
  ["joins the same 4,000 names 800 times", shared("allOf", 800, { required: names(4_000) })],
  [
    "joins itself twice, with 4,000 names",
    { type: "object", required: names(4_000), allOf: [{ $ref: "#" }, { $ref: "#" }] },
  ],
  [
    "nests 20,000 names in 30 parts to join",
    repeat(30, () => 0).reduce<Schema>((inner) => ({ type: "object", allOf: [inner] }), {
      type: "object",
      required: names(20_000),
    }),
  ],
  [
    "names one argument 20,000 times, in each of 1,000 alternatives",
    {
      type: "object",
      anyOf: [{ required: Array(20_000).fill("a") }, ...Array(1_000).fill({ required: ["a"] })],
    },
  ],
  ["joins a long pattern", shared("allOf", 1_000, { pattern: "ab".repeat(50_000) })],
  ["repeats a long pattern", shared("properties", 1_000, { pattern: "ab".repeat(50_000) })],
  ["joins a long list of types", shared("allOf", 1_000, { type: Array(10_000).fill("string") })],
  ["repeats a long list of types", shared("properties", 1_000, { type: Array(10_000).fill("string") })],
  ["repeats a long description", shared("properties", 1_000, { description: "é".repeat(50_000) })],
  ["repeats a long unknown keyword", shared("properties", 1_000, { other: names(10_000) })],
  ["joins many unknown keywords", shared("allOf", 1_000, { ...names(2_000) })],
  [
    "refers to a place in a long list",
    { type: "object", anyOf: [{ title: "a" }, ...Array(4_000).fill({ $ref: "#/anyOf/0" })] },
  ],
  [
    "has 4,000 names that no provider takes",
    object(Object.fromEntries(repeat(4_000, (at) => [String.fromCodePoint(0x4e00 + at), {}]))),
  ],
  [
    "has a long name around many arguments",
    object({
      a: object({
        ["a".repeat(1_000_000)]: object(Object.fromEntries(names(1_500).map((name) => [name, {}]))),
      }),
    }),
  ],
];

/** What the suite of hostile schemas allows too. */
const maxWorkMs = 50;

/** The processor time of the quickest of some runs: the first one compiles, and others may be in the way of the collector. */
function workMs(run: () => unknown): number {
  const times = repeat(5, () => {
    const before = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  });
  return Math.min(...times);
}

const malformed: readonly [what: string, schema: Schema, kept: object][] = [
  ["an unknown type", object({ a: { type: "strng" } }), { a: {} }],
  ["a property that is null", object({ a: null }), { a: {} }],
  ["properties that are a list", { type: "object", properties: [1] } as unknown as Schema, {}],
  [
    "items by position",
    object({ a: { type: "array", items: [{ type: "string" }] } }),
    { a: { type: "array", prefixItems: [{ type: "string" }] } },
  ],
  [
    "required that is a text",
    object({ a: { type: "object", required: "b" } }, { required: "a" }),
    { a: { type: "object" } },
  ],
  ["required of old drafts", object({ a: { type: "string", required: true } }), { a: { type: "string" } }],
  ["an empty enum", object({ a: { enum: [] } }), { a: {} }],
  ["lengths that are none", object({ a: { minLength: -1, maxItems: 1.5 } }), { a: {} }],
  ["a broken pattern", object({ a: { pattern: "(" } }), { a: {} }],
  ["allOf that is a number", { type: "object", allOf: 5, anyOf: "x" } as unknown as Schema, {}],
  ["no alternatives", object({ a: { anyOf: [], oneOf: [] } }), { a: {} }],
  ["definitions that are a number", object({ a: {} }, { $defs: 5 }), { a: {} }],
  ["a description that is a number", object({ a: { description: 5, title: {} } }), { a: {} }],
  [
    "bounds of old drafts",
    object({ a: { type: "number", minimum: 0, exclusiveMinimum: true } }),
    { a: { type: "number", minimum: 0 } },
  ],
];

/** A schema without its descriptions. */
function withoutDescriptions(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema, (key, value) => (key === "description" ? undefined : value)));
}

describe.each(providers)("a schema for %s", (provider) => {
  test.each([...endless, ...large])("that %s is fitted at once", (_what, given) => {
    expect(workMs(() => fitSchema(given, provider))).toBeLessThan(maxWorkMs);
  });

  test.each(endless)("that %s stays small", (_what, given) => {
    const { schema } = fitSchema(given, provider);
    expect(schema).toMatchObject({ type: "object", properties: {} });
    expect(schema).not.toHaveProperty("$ref");
    expect(JSON.stringify(schema).length).toBeLessThan(300_000);
    if (given.properties && "plain" in given.properties) expect(schema.properties).toHaveProperty("plain");
  });

  test.each(malformed)("with %s is one that can be read", async (_what, given, kept) => {
    const { schema } = fitSchema(given, provider);
    await expect(compilePeerValidator(schema)).resolves.toBeDefined();
    expect(withoutDescriptions(schema)).toEqual({ type: "object", properties: kept });
  });

  test("has additionalProperties that can be read", () => {
    const { schema } = fitSchema(object({}, { additionalProperties: "no" }), provider);
    expect(schema.additionalProperties).toEqual({});
  });

  test("names a required argument once, and no argument that is not there", () => {
    const given = object({ a: object({}, { required: ["b"] }) }, { required: ["a", "a", "z"] });
    const { schema } = fitSchema(given, provider);
    expect(schema.required).toEqual(["a", "z"]);
    expect(schema.properties).toHaveProperty("z");
  });

  test("keeps arguments whose names have a meaning in JavaScript", () => {
    const given = JSON.parse(
      '{"type":"object","allOf":[{"properties":{"__proto__":{"type":"string"},"constructor":{}}}]}',
    );
    expect(Object.keys(fitSchema(given, provider).schema.properties ?? {})).toEqual([
      "__proto__",
      "constructor",
    ]);
  });

  test("has no hidden characters and no halves of characters in its descriptions", () => {
    const given = object({ a: { type: "string", description: "City\u{e0041}\u200b \ud800" } });
    const { properties } = fitSchema(given, provider).schema;
    expect(properties).toMatchObject({ a: { description: "City \ufffd" } });
  });
});
