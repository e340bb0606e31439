import { createServer } from "allspeak";
import { expect, expectTypeOf, it } from "vitest";

it("what is done once is typed as what JSON leaves of it", () => {
  const server = createServer({ name: "s", version: "1" });
  server.tool("once", "Does things once", async (_, ctx) => {
    const date = await ctx.once("date", () => ({
      at: new Date(),
      tags: ["a"],
      count: 1 as number | undefined,
    }));
    expectTypeOf(date).toEqualTypeOf<{ at: string; tags: string[]; count: number | undefined }>();
    const id = await ctx.once("id", async () => "r1");
    expectTypeOf(id).toEqualTypeOf<string>();
    return id;
  });
  expect(server.info.name).toBe("s");
});
