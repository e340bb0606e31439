import { expect, it } from "vitest";
import { describeRevisions } from "../matrix/revisions.ts";

const names = ["a", "b", "c", "d", "e", "f", "g"];

const lists = [
  ["tools/list", "tools"],
  ["prompts/list", "prompts"],
  ["resources/list", "resources"],
  ["resources/templates/list", "resourceTemplates"],
] as const;

describeRevisions(
  "pagination",
  ({ open }) => {
    it.each(lists)("gives %s in pages of the chosen size", async (method, key) => {
      const { client } = await open();
      const pages: unknown[] = [];
      let cursor: unknown;
      do {
        const page = await client.request(method, cursor === undefined ? {} : { cursor });
        pages.push((page[key] as { name: string }[]).map(({ name }) => name));
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      expect(pages).toEqual([names.slice(0, 3), names.slice(3, 6), names.slice(6)]);
    });

    it("is of no concern to a client that wants all", async () => {
      const { client, wire } = await open();
      const tools = await client.tools.list().all();
      expect(tools.map(({ name }) => name)).toEqual(names);
      expect(wire.sent).toHaveLength(3);
    });

    it("asks only for the pages that are needed", async () => {
      const { client, wire } = await open();
      const seen: string[] = [];
      for await (const { name } of client.prompts.list()) {
        seen.push(name);
        if (name === "d") break;
      }
      expect(seen).toEqual(["a", "b", "c", "d"]);
      expect(wire.sent).toHaveLength(2);
    });

    it.each(lists)("refuses a cursor that %s did not give", async (method) => {
      const { client } = await open();
      await expect(client.request(method, { cursor: "bogus" })).rejects.toMatchObject({ wireCode: -32602 });
    });

    it("refuses the cursor of another list", async () => {
      const { client } = await open();
      const { nextCursor: cursor } = await client.request("tools/list");
      await expect(client.request("prompts/list", { cursor })).rejects.toMatchObject({ wireCode: -32602 });
    });
  },
  { fixture: "paged" },
);
