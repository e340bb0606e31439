import { describe, expect, it } from "vitest";
import { applyDefaults } from "../../src/schema/defaults.ts";
import type { JsonSchema } from "../../src/schema/json-schema.ts";

const FORM = {
  type: "object",
  properties: {
    name: { type: "string", default: "John Doe" },
    age: { type: "integer", default: 30 },
    score: { type: "number", default: 95.5 },
    status: { type: "string", enum: ["active", "inactive"], default: "active" },
    verified: { type: "boolean", default: false },
    colors: { type: "array", items: { type: "string", enum: ["red", "blue"] }, default: ["red"] },
    note: { type: "string" },
  },
};

describe("the defaults of a form", () => {
  it("fill what is absent", () => {
    expect(applyDefaults(FORM, {})).toEqual({
      name: "John Doe",
      age: 30,
      score: 95.5,
      status: "active",
      verified: false,
      colors: ["red"],
    });
  });

  it("leave what is there, even if it is empty or null", () => {
    const content = { name: "", age: 0, verified: true, status: null, note: "n", other: 1 };
    expect(applyDefaults(FORM, content)).toEqual({ ...content, score: 95.5, colors: ["red"] });
  });

  it("change neither the content nor the schema", () => {
    const content = Object.freeze({ name: "Ada" });
    const filled = applyDefaults(FORM, content);
    (filled.colors as string[]).push("blue");
    expect(content).toEqual({ name: "Ada" });
    expect(FORM.properties.colors.default).toEqual(["red"]);
  });

  it("take undefined for absent", () => {
    expect(applyDefaults(FORM, { name: undefined })).toMatchObject({ name: "John Doe" });
  });

  it.each([{}, { properties: null }, { properties: [] }, { properties: { a: true, b: null, c: "x" } }])(
    "of %j are none",
    (schema) => {
      expect(applyDefaults(schema as JsonSchema, { a: 1 })).toEqual({ a: 1 });
    },
  );

  it("can't reach a prototype", () => {
    const schema = JSON.parse(
      '{"properties":{"__proto__":{"default":{"polluted":true}},"constructor":{"default":1}}}',
    );
    const filled = applyDefaults(schema as JsonSchema, JSON.parse('{"toString":1}'));
    expect(Object.keys(filled)).toEqual(["toString", "__proto__", "constructor"]);
    expect(Object.getPrototypeOf(filled)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it("that a property inherits do not count", () => {
    const property = Object.create({ default: "inherited" }) as JsonSchema;
    expect(applyDefaults({ properties: { a: property } }, {})).toEqual({});
  });
});
