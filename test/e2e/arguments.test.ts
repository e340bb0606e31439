import { expect, it } from "vitest";
import { describeMatrix, type Opened, type Place } from "./matrix.ts";
import { readText } from "./read-text.ts";

/** How a call was refused because of its arguments, wherever the revision says so. */
async function refusal({ client }: Opened, { since }: Place, name: string, args: object): Promise<string> {
  const call = client.tools.call(name, { ...args });
  if (since({ "2024-11-05": true, "2025-11-25": false })) {
    const error = await call.then(
      () => undefined,
      (thrown: { wireCode: number; message: string; data: unknown }) => thrown,
    );
    expect(error).toMatchObject({ wireCode: -32602, data: { issues: expect.any(Array) } });
    return error?.message ?? "";
  }
  const result = await call;
  expect(result.isError).toBe(true);
  return readText(result);
}

describeMatrix("arguments", (place) => {
  const { open } = place;

  it("that do not fit are refused: to the model where it can mend them, else as an error", async () => {
    const text = await refusal(await open(), place, "add", { a: 1, b: "two" });
    expect(text).toMatch(/^Invalid arguments for tool "add":\n- b: /);
    expect(text).toContain("number");
  });

  it("that are missing are named", async () => {
    expect(await refusal(await open(), place, "get-weather", {})).toContain("- location: ");
  });

  it("that are misspelt come with a suggestion", async () => {
    const text = await refusal(await open(), place, "get-weather", { locaton: "Oslo" });
    expect(text).toContain('- locaton: is not an argument; did you mean "location"?');
  });

  it("that a tool does not know are ignored by default", async () => {
    const { client } = await open();
    expect(readText(await client.tools.call("lenient", { color: "red" }))).toBe("{}");
  });

  it("that a tool does not know are refused by a tool that says so", async () => {
    const text = await refusal(await open(), place, "strict", { color: "red" });
    expect(text).toContain('- color: is not an argument; did you mean "colour"?');
  });
});

describeMatrix(
  "unknown arguments to a server that refuses them",
  (place) => {
    it("are refused for every tool", async () => {
      const text = await refusal(await place.open(), place, "echo", { text: "hello", volume: 11 });
      expect(text).toBe('Invalid arguments for tool "echo":\n- volume: is not an argument');
    });
  },
  { fixture: "guarded" },
);

const libraries = ["zod", "zod3", "valibot", "arktype", "json"];

describeMatrix(
  "schemas",
  (place) => {
    it.each(libraries)("written with %s are listed as JSON Schema", async (library) => {
      const { client } = await place.open();
      const tools = await client.tools.list().all();
      const tool = tools.find(({ name }) => name === `double-${library}`);
      expect(tool?.inputSchema).toMatchObject({
        type: "object",
        properties: { n: { type: "number" } },
        required: ["n"],
      });
    });

    it.each(libraries)("written with %s let the right arguments through and no others", async (library) => {
      const opened = await place.open();
      const result = await opened.client.tools.call(`double-${library}`, { n: 21 });
      expect(readText(result)).toBe("42");
      const text = await refusal(opened, place, `double-${library}`, { n: "many" });
      expect(text).toContain("- n: ");
    });
  },
  { fixture: "libraries" },
);
