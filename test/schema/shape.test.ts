import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod3";
import { compileSchema } from "../../src/schema/compile.ts";
import type { JsonSchema } from "../../src/schema/json-schema.ts";
import type { Shape } from "../../src/schema/shape.ts";
import { loadConverters } from "./load-converters.ts";

await loadConverters();

describe("an object of schemas", () => {
  const shape = {
    a: z.string().describe("first"),
    b: z3.number().optional(),
    c: v.optional(v.string(), "c"),
    d: type("string"),
  };

  it("may mix libraries, and requires what does not take undefined", () => {
    expect(compileSchema(shape, "input").jsonSchema).toEqual({
      type: "object",
      properties: {
        a: { type: "string", description: "first" },
        b: { type: "number" },
        c: { type: "string", default: "c" },
        d: { type: "string" },
      },
      required: ["a", "d"],
    });
  });

  it("validates each property by its own library, and drops what it does not name", () => {
    const { validate } = compileSchema(shape, "input");
    expect(validate({ a: "a", d: "d", other: 1 })).toEqual({ ok: true, value: { a: "a", c: "c", d: "d" } });
    expect(validate({ a: 1, b: "2", d: "d" })).toMatchObject({
      ok: false,
      issues: [{ path: "a" }, { path: "b" }],
    });
  });

  it("leaves out what is absent and stays undefined", () => {
    const { validate } = compileSchema({ a: z.string().optional() }, "input");
    expect(validate({})).toEqual({ ok: true, value: {} });
    expect(Object.keys((validate({}) as { value: object }).value)).toEqual([]);
  });

  it("gives the place inside a property", () => {
    const { validate } = compileSchema(
      { a: z.object({ b: z.array(z.string()) }), c: z.array(z.number()) },
      "input",
    );
    expect(validate({ a: { b: ["x", 1] }, c: ["y"] })).toMatchObject({
      ok: false,
      issues: [{ path: "a.b[1]" }, { path: "c[0]" }],
    });
  });

  it.each<[unknown, string]>([
    ["text", "string"],
    [null, "null"],
    [[], "array"],
    [undefined, "undefined"],
  ])("refuses %j, which is no object", (value, kind) => {
    const { validate } = compileSchema(shape, "input");
    expect(validate(value)).toEqual({
      ok: false,
      issues: [{ path: "", message: `expected object, got ${kind}` }],
    });
  });

  it("is asynchronous only if a member is", async () => {
    const slow = compileSchema(
      { a: z.string(), b: z.string().refine(async (text) => text === "b") },
      "input",
    );
    const pending = slow.validate({ a: "a", b: "b" });
    expect(pending).toBeInstanceOf(Promise);
    expect(await pending).toEqual({ ok: true, value: { a: "a", b: "b" } });
    expect(await slow.validate({ a: "a", b: "x" })).toMatchObject({ ok: false, issues: [{ path: "b" }] });
  });

  it("runs a transform once", () => {
    let runs = 0;
    const counted = z.string().transform((text) => {
      runs++;
      return text.length;
    });
    const { validate } = compileSchema({ a: counted }, "input");
    runs = 0;
    expect(validate({ a: "abc" })).toEqual({ ok: true, value: { a: 3 } });
    expect(runs).toBe(1);
  });

  it("requires a property whose transform can't take undefined", () => {
    const schema = z.any().transform((value) => value.length as number);
    expect(compileSchema({ a: schema }, "input").jsonSchema.required).toEqual(["a"]);
  });

  it("reads only own properties", () => {
    const { validate } = compileSchema(
      { constructor: z.string(), toString: z.string() } as unknown as Shape,
      "input",
    );
    expect(validate({})).toMatchObject({
      ok: false,
      issues: [{ path: "constructor" }, { path: "toString" }],
    });
    expect(validate({ constructor: "a", toString: "b" })).toMatchObject({ ok: true });
  });

  it("takes __proto__ for a name like any other", () => {
    const shape = Object.fromEntries([["__proto__", z.string()]]) as Shape;
    const { validate } = compileSchema(shape, "input");
    const checked = validate(JSON.parse('{"__proto__":"a"}')) as { ok: true; value: object };
    expect(Object.entries(checked.value)).toEqual([["__proto__", "a"]]);
    expect(Object.getPrototypeOf(checked.value)).toBe(Object.prototype);
  });

  it("with something else among the schemas is refused by its name", () => {
    expect(() => compileSchema({ a: z.string(), b: "text" } as JsonSchema, "input")).toThrow(
      '"b" is not a schema',
    );
  });

  it("that is empty describes an empty object where arguments go in", () => {
    const empty = compileSchema({}, "input");
    expect(empty.jsonSchema).toEqual({ type: "object", properties: {} });
    expect(empty.validate({ other: 1 })).toEqual({ ok: true, value: {} });
  });

  it("lets a recursive member refer to itself where it is", async () => {
    const tree = z.object({
      name: z.string(),
      get children() {
        return z.array(tree);
      },
    });
    const { jsonSchema } = compileSchema({ "a/b": tree }, "input");
    expect(jsonSchema.properties).toMatchObject({
      "a/b": { properties: { children: { items: { $ref: "#/properties/a~1b" } } } },
    });
    const copy = compileSchema(jsonSchema, "input");
    expect(
      await copy.validate({ "a/b": { name: "x", children: [{ name: "y", children: [] }] } }),
    ).toMatchObject({
      ok: true,
    });
    expect(
      await copy.validate({ "a/b": { name: "x", children: [{ name: 5, children: [] }] } }),
    ).toMatchObject({
      ok: false,
    });
  });
});
