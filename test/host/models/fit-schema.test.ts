import { createServer } from "allspeak";
import { fitSchema, type ModelProvider } from "allspeak/host";
import { describe, expect, test } from "vitest";
import { openTestHost } from "../fixtures/servers.ts";

type Schema = Parameters<typeof fitSchema>[0];

const providers: readonly ModelProvider[] = ["anthropic", "openai", "gemini", "ai-sdk"];
const object = (properties: NonNullable<Schema["properties"]>, others: object = {}): Schema => ({
  type: "object",
  properties,
  ...others,
});

describe("a schema that is fitted to a provider", () => {
  test.each(providers)(
    "of %s is an object with properties, and has no combinators at its top",
    (provider) => {
      const schemas: Schema[] = [
        { type: "object" },
        { type: "object", $schema: "x", $id: "y", $ref: "#/$defs/a", $defs: { a: object({ x: {} }) } },
        {
          type: "object",
          anyOf: [object({ a: {} }, { required: ["a"] }), object({ b: {} }, { required: ["b"] })],
        },
        { type: "object", allOf: [object({ a: {} }, { required: ["a"] })], not: { required: ["z"] } },
      ];
      for (const given of schemas) {
        const { schema } = fitSchema(given, provider);
        expect(schema.type).toBe("object");
        expect(schema.properties).toBeTypeOf("object");
        for (const keyword of ["anyOf", "oneOf", "allOf", "not", "enum", "$schema", "$id", "$ref"])
          expect(schema).not.toHaveProperty(keyword);
      }
    },
  );

  test("keeps every property and every required one of alternatives, and says what is needed", () => {
    const given: Schema = {
      type: "object",
      description: "Where",
      properties: { units: { type: "string" } },
      required: ["units"],
      oneOf: [
        object({ city: { type: "string" }, when: {} }, { required: ["city", "when"] }),
        object({ lat: { type: "number" }, when: {} }, { required: ["lat", "when"] }),
      ],
    };
    const { schema, changes } = fitSchema(given, "anthropic");
    expect(Object.keys(schema.properties ?? {}).sort()).toEqual(["city", "lat", "units", "when"]);
    expect(schema.required).toEqual(["units", "when"]);
    expect(schema.description).toBe(
      "Where (exactly one of these sets of arguments is needed: (city, when) or (lat, when))",
    );
    expect(changes).toEqual([{ path: "", keyword: "oneOf", action: "described" }]);
  });

  test("of Gemini has the constraints that it does not know in its descriptions", () => {
    const given = object(
      {
        code: { type: "string", pattern: "^[A-Z]+$", minLength: 2, description: "The code" },
        mail: { type: "string", format: "email" },
        at: { type: "string", format: "date-time" },
        level: { type: "integer", enum: [1, 2, 3] },
        kind: { const: "a" },
        shape: { oneOf: [{ type: "string" }, { type: "number" }] },
        both: { allOf: [object({ a: { type: "string" } }, { required: ["a"] }), object({ b: {} })] },
        map: { type: "object", patternProperties: { "^x": { type: "string" } } },
      },
      { required: ["code"], additionalProperties: false },
    );
    const { schema, changes } = fitSchema(given, "gemini");
    expect(schema).toEqual({
      type: "object",
      required: ["code"],
      additionalProperties: false,
      properties: {
        code: { type: "string", description: 'The code (pattern: "^[A-Z]+$"; minLength: 2)' },
        mail: { type: "string", description: '(format: "email")' },
        at: { type: "string", format: "date-time" },
        level: { type: "integer", description: "(enum: [1,2,3])" },
        kind: { enum: ["a"] },
        shape: { anyOf: [{ type: "string" }, { type: "number" }] },
        both: { type: "object", properties: { a: { type: "string" }, b: {} }, required: ["a"] },
        map: { type: "object", description: '(patternProperties: {"^x":{"type":"string"}})' },
      },
    });
    expect(changes).toContainEqual({ path: "code", keyword: "pattern", action: "described" });
    expect(changes).toContainEqual({ path: "shape", keyword: "oneOf", action: "rewritten" });
  });

  test.each(providers)("of %s that forbids more properties is not changed by that", (provider) => {
    const closed = { additionalProperties: false };
    const given = object({ place: object({}, closed) }, closed);
    expect(fitSchema(given, provider)).toEqual({ schema: given, changes: [] });
  });

  test("has references written out for those who do not know them, and left for the others", () => {
    const given = object(
      { home: { $ref: "#/$defs/address", description: "At home" }, work: { $ref: "#/$defs/address" } },
      { $defs: { address: object({ street: { type: "string" } }, { required: ["street"] }) } },
    );
    expect(fitSchema(given, "openai").schema.properties).toEqual(given.properties);
    expect(fitSchema(given, "openai").schema.$defs).toEqual(given.$defs);
    const { schema } = fitSchema(given, "gemini");
    const address = object({ street: { type: "string" } }, { required: ["street"] });
    expect(schema.properties).toEqual({ home: { ...address, description: "At home" }, work: address });
    expect(schema).not.toHaveProperty("$defs");
  });

  test("ends where it refers to itself, and where a reference leads elsewhere", () => {
    const given = object(
      { tree: { $ref: "#/$defs/node" }, far: { $ref: "https://evil.example/schema.json" } },
      {
        $defs: {
          node: object({
            name: { type: "string" },
            children: { type: "array", items: { $ref: "#/$defs/node" } },
          }),
        },
      },
    );
    const text = JSON.stringify(fitSchema(given, "gemini").schema);
    expect(text).not.toContain("$ref");
    expect(text).toContain("nested in the same way");
    expect(text).toContain("see https://evil.example/schema.json");
  });

  test("stays small for a bomb of references", () => {
    const $defs: Record<string, unknown> = { d0: { type: "string" } };
    for (let level = 1; level <= 30; level++) {
      const ref = { $ref: `#/$defs/d${level - 1}` };
      $defs[`d${level}`] = object({ a: ref, b: ref });
    }
    const given = object(
      { bomb: { $ref: "#/$defs/d30" }, plain: { type: "string" } },
      { $defs, required: ["plain"] },
    );
    for (const provider of providers) {
      const { schema } = fitSchema(given, provider);
      expect(JSON.stringify(schema).length).toBeLessThan(300_000);
      expect(schema.required).toEqual(["plain"]);
      expect(schema.properties).toHaveProperty("plain");
    }
  });

  test("a list has items, since some refuse one without", () => {
    const { schema } = fitSchema(object({ list: { type: "array" } }), "openai");
    expect(schema.properties).toEqual({ list: { type: "array", items: {} } });
  });

  test("arguments whose names are refused get others, and their own back in the call", async () => {
    const server = createServer({ name: "odd", version: "1.0.0" });
    const input = object(
      { "first name": { type: "string", description: "Name" }, ok: {} },
      { required: ["first name"] },
    );
    server.tool("greet", { input }, (args) => JSON.stringify(args));
    const host = await openTestHost({ servers: { odd: server } });
    const [tool] = await host.tools();
    const { schema } = fitSchema(tool?.inputSchema ?? input, "anthropic");
    expect(schema.properties).toEqual({
      first_name_1: { type: "string", description: 'Name (called "first name")' },
      ok: {},
    });
    expect(schema.required).toEqual(["first_name_1"]);
    const result = await host.call("odd__greet", { first_name_1: "Ada", ok: 1 });
    expect(JSON.parse(result.text)).toEqual({ "first name": "Ada", ok: 1 });
  });
});
