import { expect, it } from "vitest";
import { refusal } from "../matrix/argument-error.ts";
import { readText } from "../matrix/read-text.ts";
import { describeRevisions } from "../matrix/revisions.ts";

const libraries = ["zod", "zod3", "valibot", "arktype", "json"];

describeRevisions(
  "schemas",
  (place) => {
    const { open } = place;

    it("given as an object of schemas make the shortest tool", async () => {
      const { client } = await open();
      const tools = await client.tools.list().all();
      expect(tools.find(({ name }) => name === "get-weather")).toEqual({
        name: "get-weather",
        description: "Get weather for a location",
        inputSchema: {
          type: "object",
          properties: { location: { type: "string", description: "City name or coordinates" } },
          required: ["location"],
        },
      });
      const result = await client.tools.call("get-weather", { location: "Oslo" });
      expect(result.content).toEqual([{ type: "text", text: "Sunny in Oslo" }]);
    });

    it.each(libraries)("written with %s are listed as JSON Schema", async (library) => {
      const { client } = await open();
      const tools = await client.tools.list().all();
      const tool = tools.find(({ name }) => name === `double-${library}`);
      expect(tool?.inputSchema).toMatchObject({
        type: "object",
        properties: { n: { type: "number" } },
        required: ["n"],
      });
    });

    it.each(libraries)("written with %s let the right arguments through and no others", async (library) => {
      const opened = await open();
      const result = await opened.client.tools.call(`double-${library}`, { n: 21 });
      expect(readText(result)).toBe("42");
      const text = await refusal(opened, place, `double-${library}`, { n: "many" });
      expect(text).toContain("- n: ");
    });
  },
  { fixture: "libraries" },
);
