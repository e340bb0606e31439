import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import * as zm from "zod/mini";
import { z as z3 } from "zod3";
import { z as z40 } from "zod3/v4";
import { compileSchema, type SchemaInput } from "../../src/schema/compile.ts";
import { loadConverters } from "./load-converters.ts";

await loadConverters();

describe("what comes out of a schema", () => {
  const defaults: Readonly<Record<string, SchemaInput>> = {
    zod: z.object({ x: z.string().default("a"), y: z.string().optional() }),
    "zod 4.0": z40.object({ x: z40.string().default("a"), y: z40.string().optional() }),
    "zod 3": z3.object({ x: z3.string().default("a"), y: z3.string().optional() }),
    "zod mini": zm.object({ x: zm._default(zm.string(), "a"), y: zm.optional(zm.string()) }),
    valibot: v.object({ x: v.optional(v.string(), "a"), y: v.optional(v.string()) }),
    arktype: type({ x: "string = 'a'", "y?": "string" }),
    "a shape": { x: z.string().default("a"), y: z3.string().optional() },
  };

  it.each(Object.entries(defaults))("always has what a default fills in (%s)", (_, schema) => {
    expect(compileSchema(schema, "input").jsonSchema.required).toBeUndefined();
    expect(compileSchema(schema, "output").jsonSchema.required).toEqual(["x"]);
    expect(compileSchema(schema, "output").validate({})).toEqual({ ok: true, value: { x: "a" } });
  });

  const piped: Readonly<Record<string, SchemaInput>> = {
    zod: z.object({ x: z.string().transform(Number).pipe(z.number().min(1)) }),
    "zod 4.0": z40.object({ x: z40.string().transform(Number).pipe(z40.number().min(1)) }),
    "zod 3": z3.object({ x: z3.string().transform(Number).pipe(z3.number().min(1)) }),
    valibot: v.object({ x: v.pipe(v.string(), v.transform(Number), v.number(), v.minValue(1)) }),
  };

  it.each(Object.entries(piped))(
    "is the end of a pipe, and what goes in is its beginning (%s)",
    (_, schema) => {
      expect(compileSchema(schema, "input").jsonSchema.properties).toEqual({ x: { type: "string" } });
      expect(compileSchema(schema, "output").jsonSchema.properties).toEqual({
        x: { type: "number", minimum: 1 },
      });
      expect(compileSchema(schema, "input").validate({ x: "5" })).toEqual({ ok: true, value: { x: 5 } });
    },
  );

  const open: Readonly<Record<string, SchemaInput>> = {
    zod: z.object({ x: z.object({ a: z.string() }) }),
    "zod mini": zm.object({ x: zm.object({ a: zm.string() }) }),
    valibot: v.object({ x: v.object({ a: v.string() }) }),
  };

  it.each(Object.entries(open))("is closed only if the schema is strict (%s)", (_, schema) => {
    expect(JSON.stringify(compileSchema(schema, "output").jsonSchema)).not.toContain("additionalProperties");
  });

  it("stays closed if the schema is strict", () => {
    const schema = z.strictObject({ x: z.object({ a: z.string() }) });
    expect(compileSchema(schema, "output").jsonSchema).toEqual({
      type: "object",
      properties: { x: { type: "object", properties: { a: { type: "string" } }, required: ["a"] } },
      required: ["x"],
      additionalProperties: false,
    });
  });

  it("may be anything, while what goes in must be an object", () => {
    expect(compileSchema(z.array(z.string()), "output").jsonSchema).toEqual({
      type: "array",
      items: { type: "string" },
    });
    expect(compileSchema({ type: "array" }, "output").jsonSchema).toEqual({ type: "array" });
    for (const schema of [
      z.array(z.string()),
      z.any(),
      v.string(),
      type("string"),
      { type: "array" },
      { anyOf: [] },
    ]) {
      expect(() => compileSchema(schema, "input")).toThrow('"type": "object"');
    }
  });
});

describe("a schema that JSON Schema can't express", () => {
  it.each<[string, SchemaInput, string]>([
    ["a date in zod", z.object({ a: z.object({ at: z.date() }) }), 'The date at "a.at"'],
    ["a date in zod 4.0", z40.object({ a: z40.array(z40.date()) }), 'The date at "a[]"'],
    ["a date in zod 3", z3.object({ a: z3.object({ at: z3.date().optional() }) }), 'The date at "a.at"'],
    ["a date in zod mini", zm.object({ a: zm.date() }), 'The date at "a"'],
    ["a date in valibot", v.object({ a: v.optional(v.date()) }), 'The date at "a"'],
    ["a date in arktype", type({ a: { at: "Date" } }), 'The date at "a.at"'],
    ["a date in a shape", { a: z.object({ at: z.date() }) }, 'The date at "a.at"'],
    ["a bigint in zod", z.object({ a: z.bigint() }), 'The bigint at "a"'],
    ["a bigint constant in zod", z.object({ a: z.literal(5n) }), 'The bigint at "a"'],
    ["a bigint in zod 3", z3.object({ a: z3.bigint() }), 'The bigint at "a"'],
    ["a bigint constant in zod 3", z3.object({ a: z3.literal(5n) }), 'The bigint at "a"'],
    ["a bigint in valibot", v.object({ a: v.bigint() }), 'The bigint at "a"'],
    ["a bigint in arktype", type({ a: "bigint" }), 'The bigint at "a"'],
    ["a map in zod", z.object({ a: z.map(z.string(), z.string()) }), 'The map at "a"'],
    ["a map in zod 3", z3.object({ a: z3.map(z3.string(), z3.string()) }), 'The map at "a"'],
    ["a map in valibot", v.object({ a: v.map(v.string(), v.string()) }), 'The map at "a"'],
    ["a set in zod", z.object({ a: z.set(z.string()) }), 'The set at "a"'],
    ["a promise in zod 3", z3.object({ a: z3.promise(z3.string()) }), 'The promise at "a"'],
    ["a custom check in zod", z.object({ a: z.custom<string>() }), 'The custom at "a"'],
    ["a custom check in valibot", v.object({ a: v.custom<string>(() => true) }), 'The custom at "a"'],
    ["undefined in zod", z.object({ a: z.undefined() }), 'The undefined at "a"'],
    ["a symbol in valibot", v.object({ a: v.symbol() }), 'The symbol at "a"'],
  ])("is refused with its place: %s", (_, schema, message) => {
    expect(() => compileSchema(schema, "input")).toThrow(message);
    expect(() => compileSchema(schema, "input")).toThrow(
      expect.objectContaining({ code: "schema-conversion" }),
    );
  });

  it.each<[string, SchemaInput]>([
    ["zod", z.object({ x: z.string().transform(Number) })],
    ["zod 4.0", z40.object({ x: z40.string().transform(Number) })],
    ["zod 3", z3.object({ x: z3.string().transform(Number) })],
    ["valibot", v.object({ x: v.pipe(v.string(), v.transform(Number)) })],
  ])("such as what an open transform gives (%s) is refused with what to do", (_, schema) => {
    expect(() => compileSchema(schema, "output")).toThrow(
      'The transform at "x" has no JSON Schema: say what comes out by piping it into a schema.',
    );
  });

  it("of a library without JSON Schema is refused with what to do", () => {
    const schema = {
      "~standard": { version: 1 as const, vendor: "other", validate: (value: unknown) => ({ value }) },
    };
    expect(() => compileSchema(schema, "input")).toThrow('Schemas of "other" have no JSON Schema');
  });

  it("carries the library's own complaint", () => {
    const complain = (): never => {
      throw new Error("not today");
    };
    const jsonSchema = { input: complain, output: complain };
    const standard = {
      version: 1 as const,
      vendor: "other",
      validate: (value: unknown) => ({ value }),
      jsonSchema,
    };
    expect(() => compileSchema({ "~standard": standard }, "input")).toThrow(
      "other can't convert the schema: not today",
    );
  });
});

describe("a recursive schema", () => {
  interface Tree {
    readonly name: string;
    readonly children: readonly Tree[];
  }
  const tree = z.object({
    name: z.string(),
    get children() {
      return z.array(tree);
    },
  });
  const tree40 = z40.object({
    name: z40.string(),
    get children() {
      return z40.array(tree40);
    },
  });
  const tree3: z3.ZodType<Tree> = z3.lazy(() => z3.object({ name: z3.string(), children: z3.array(tree3) }));
  const treeV: v.GenericSchema<Tree> = v.object({ name: v.string(), children: v.array(v.lazy(() => treeV)) });

  it.each<[string, SchemaInput]>([
    ["zod", tree],
    ["zod 4.0", tree40],
    ["zod 3", tree3],
    ["valibot", treeV],
  ])("refers to its root (%s)", (_, schema) => {
    expect(compileSchema(schema, "input").jsonSchema).toEqual({
      type: "object",
      properties: { name: { type: "string" }, children: { type: "array", items: { $ref: "#" } } },
      required: ["name", "children"],
    });
  });

  it.each<[string, SchemaInput]>([
    ["zod 3", z3.object({ top: tree3 })],
    ["valibot", v.object({ top: treeV })],
  ])("below the root becomes a definition (%s)", (_, schema) => {
    const { jsonSchema } = compileSchema(schema, "input");
    const [[name, definition] = []] = Object.entries(jsonSchema.$defs as object);
    const $ref = `#/$defs/${name}`;
    expect(definition).toEqual({
      type: "object",
      properties: { name: { type: "string" }, children: { type: "array", items: { $ref } } },
      required: ["name", "children"],
    });
    expect(jsonSchema.properties).toEqual({ top: { $ref } });
  });

  it("that never ends is refused", () => {
    const endless = (): z3.ZodTypeAny => z3.lazy(() => z3.object({ next: endless() }));
    expect(() => compileSchema(z3.object({ start: endless() }), "input")).toThrow("endless nesting");
  });
});
