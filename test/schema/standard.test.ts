import { describe, expect, it } from "vitest";
import { z } from "zod";
import { compileSchema } from "../../src/schema/compile.ts";

describe("validation through a library", () => {
  it("is synchronous when the schema is", () => {
    const { validate } = compileSchema(z.object({ a: z.string().transform(Number) }), "input");
    expect(validate({ a: "5" })).toEqual({ ok: true, value: { a: 5 } });
  });

  it("is asynchronous when the schema is", async () => {
    const { validate } = compileSchema(
      z.object({ a: z.string().refine(async () => false, "not now") }),
      "input",
    );
    await expect(validate({ a: "5" })).resolves.toEqual({
      ok: false,
      issues: [{ path: "a", message: "not now" }],
    });
  });

  it("keeps the author's messages and at most twenty issues", () => {
    const { validate } = compileSchema(z.object({ a: z.array(z.string("need text")) }), "input");
    const checked = validate({ a: Array(50).fill(1) });
    expect(checked).toMatchObject({
      ok: false,
      issues: { length: 20, 3: { path: "a[3]", message: "need text" } },
    });
  });

  it("lets what the author's code throws pass", async () => {
    const fail = () => {
      throw new TypeError("bug");
    };
    const { validate } = compileSchema(z.object({ a: z.string().transform(fail) }), "input");
    await expect(async () => validate({ a: "" })).rejects.toThrow("bug");
  });
});
