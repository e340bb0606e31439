import { describe, expect, it } from "vitest";
import type { JsonSchema } from "../../../src/schema/json-schema.ts";
import { compileValidator } from "../../../src/schema/validator/validator.ts";

function validate(schema: string, value: string): unknown {
  return compileValidator(JSON.parse(schema) as JsonSchema, { trust: "peer" }).validate(JSON.parse(value)).ok;
}

describe("names that every object inherits", () => {
  it.each(["__proto__", "constructor", "toString", "hasOwnProperty"])(
    "%s is a property like any other",
    (name) => {
      const schema = `{"properties":{"${name}":{"type":"number"}},"required":["${name}"],"additionalProperties":false}`;
      expect(validate(schema, "{}")).toBe(false);
      expect(validate(schema, `{"${name}":1}`)).toBe(true);
      expect(validate(schema, `{"${name}":"1"}`)).toBe(false);
    },
  );

  it.each(["__proto__", "constructor"])("%s is unknown unless the schema names it", (name) => {
    expect(validate('{"properties":{"a":{}},"additionalProperties":false}', `{"${name}":1}`)).toBe(false);
    expect(validate('{"properties":{"a":{}},"unevaluatedProperties":false}', `{"${name}":1}`)).toBe(false);
    expect(validate(`{"dependentRequired":{"${name}":["a"]}}`, "{}")).toBe(true);
    expect(validate(`{"dependentRequired":{"${name}":["a"]}}`, `{"${name}":1}`)).toBe(false);
  });

  it("are resolved as definitions of their own", () => {
    const schema = '{"$defs":{"__proto__":{"type":"string"}},"$ref":"#/$defs/__proto__"}';
    expect(validate(schema, '"a"')).toBe(true);
    expect(validate(schema, "1")).toBe(false);
  });

  it("are compared like other members", () => {
    expect(validate('{"const":{"__proto__":1}}', '{"__proto__":1}')).toBe(true);
    expect(validate('{"const":{"__proto__":1}}', "{}")).toBe(false);
    expect(validate('{"uniqueItems":true}', '[{"__proto__":1},{}]')).toBe(true);
  });
});
