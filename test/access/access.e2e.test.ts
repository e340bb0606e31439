import { expect, it } from "vitest";
import { describeRevisions, type Opened } from "../matrix/revisions.ts";

const insider = { info: { name: "insider", version: "1.0.0" } };
const name = "insiders-only";
const uri = "fixture://insiders-only";

/** The lists in which the item that only insiders may see appears. */
async function seenIn({ client }: Opened): Promise<string[]> {
  const fresh = { fresh: true };
  const all = {
    tools: await client.tools.list(fresh).all(),
    resources: await client.resources.list(fresh).all(),
    prompts: await client.prompts.list(fresh).all(),
  };
  return Object.entries(all).flatMap(([kind, items]) =>
    items.some((item) => item.name === name) ? [kind] : [],
  );
}

describeRevisions("access hooks", ({ open, since }) => {
  it("hide items from lists, whoever asked for the same list before", async () => {
    const everything = ["tools", "resources", "prompts"];
    const [outside, inside] = [await open(), await open(insider)];
    expect(await seenIn(inside)).toEqual(everything);
    expect(await seenIn(outside)).toEqual([]);
    expect(await seenIn(inside)).toEqual(everything);
  });

  it("make hidden items unknown", async () => {
    const { client } = await open();
    await expect(client.tools.call(name)).rejects.toMatchObject({
      wireCode: -32602,
      message: `Unknown tool: ${name}`,
    });
    await expect(client.prompts.get(name)).rejects.toMatchObject({
      wireCode: -32602,
      message: `Unknown prompt: ${name}`,
    });
    await expect(client.resources.read(uri)).rejects.toMatchObject({
      wireCode: since({ "2024-11-05": -32002, "2026-07-28": -32602 }),
      data: { uri },
    });
  });

  it("let the others in", async () => {
    const { client } = await open(insider);
    expect((await client.tools.call(name)).content).toEqual([{ type: "text", text: "welcome" }]);
    expect((await client.prompts.get(name)).messages).toHaveLength(1);
    expect((await client.resources.read(uri)).contents).toMatchObject([{ text: "welcome" }]);
  });

  it("make a list private, where lists say who may keep them", async () => {
    const { client, wire } = await open();
    const scopes: unknown[] = [];
    for (const method of ["tools/list", "prompts/list", "resources/list", "resources/templates/list"]) {
      await client.request(method);
      scopes.push(wire.result(method).cacheScope);
    }
    expect(scopes).toEqual(
      since<unknown[]>({
        "2024-11-05": [undefined, undefined, undefined, undefined],
        "2026-07-28": ["private", "private", "private", "public"],
      }),
    );
  });
});
