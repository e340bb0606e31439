import { form } from "allspeak";
import { expect, it } from "vitest";
import { z } from "zod";

it("a form that can be asked is given back as it is", () => {
  const schema = z.object({ name: z.string(), seats: z.int().min(1).default(2), window: z.boolean() });
  expect(form(schema)).toBe(schema);
  expect(() =>
    form({ type: "object", properties: { day: { type: "string", enum: ["mon", "tue"] } } }),
  ).not.toThrow();
});

it.each([
  ["an object within", z.object({ address: z.object({ street: z.string() }) })],
  ["a list of objects", z.object({ items: z.array(z.object({ id: z.string() })) })],
  ["no object", z.string()],
  ["a reference", { type: "object", properties: { a: { $ref: "#/$defs/a" } } }],
])("a form with %s is refused where it is made, with the reason", (_, schema) => {
  expect(() => form(schema)).toThrow(
    expect.objectContaining({
      code: "registration",
      message: expect.stringMatching(/^A form can't be asked/),
    }),
  );
});
