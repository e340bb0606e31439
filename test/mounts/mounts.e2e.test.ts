import type { Progress } from "allspeak/client";
import { expect, it } from "vitest";
import { readText } from "../matrix/read-text.ts";
import { describeRevisions } from "../matrix/revisions.ts";

describeRevisions(
  "mounting",
  ({ open, since }) => {
    it("offers the tools and prompts of others under their prefix", async () => {
      const { client } = await open();
      const tools = (await client.tools.list().all()).map(({ name }) => name);
      const prompts = (await client.prompts.list().all()).map(({ name }) => name);
      expect(tools).toEqual(["near_find", "near_steps", "far_find", "far_steps"]);
      expect(prompts).toEqual(["near_trip", "far_trip"]);
    });

    it("offers their resources under their own URIs", async () => {
      const { client } = await open();
      const uris = (await client.resources.list().all()).map(({ uri }) => uri);
      const templates = (await client.resources.templates().all()).map(({ uriTemplate }) => uriTemplate);
      expect(uris).toEqual(["near://index", "far://index"]);
      expect(templates).toEqual(["near://{place}/map", "far://{place}/map"]);
    });

    it.each(["near", "far"])("passes calls on to %s", async (place) => {
      const { client } = await open();
      const found = await client.tools.call(`${place}_find`, { place: "Alta" });
      expect(readText(found)).toBe(`${place}:Alta`);
      const { messages } = await client.prompts.get(`${place}_trip`, { to: "Alta" });
      expect(messages).toEqual([{ role: "user", content: { type: "text", text: "Plan a trip to Alta." } }]);
      const { contents } = await client.resources.read(`${place}://Alta/map`);
      expect(contents).toMatchObject([{ uri: `${place}://Alta/map`, text: "map of Alta" }]);
    });

    it.each(["near", "far"])("completes what %s can complete", async (place) => {
      const { client } = await open();
      const argument = { name: "to", value: "A" };
      const prompt = await client.complete({ type: "ref/prompt", name: `${place}_trip` }, argument);
      expect(prompt.values).toEqual(["Alta"]);
      const template = { type: "ref/resource" as const, uri: `${place}://{place}/map` };
      expect((await client.complete(template, { name: "place", value: "B" })).values).toEqual(["Bergen"]);
    });

    it.each(["near", "far"])("passes the progress of %s back", async (place) => {
      const { client } = await open();
      const seen: Progress[] = [];
      await client.tools.call(`${place}_steps`, {}, { onProgress: (progress) => seen.push(progress) });
      expect(seen).toEqual([
        since<object>({
          "2024-11-05": { progress: 1, total: 2 },
          "2025-03-26": { progress: 1, total: 2, message: "halfway" },
        }),
      ]);
    });

    it("knows no tool without its prefix, nor one that the mounted server lacks", async () => {
      const { client } = await open();
      await expect(client.tools.call("find")).rejects.toMatchObject({ wireCode: -32602 });
      await expect(client.tools.call("near_lose")).rejects.toMatchObject({ wireCode: -32602 });
      await expect(client.tools.call("far_lose")).rejects.toMatchObject({ wireCode: -32602 });
    });

    it("has no resource that none of the mounted have", async () => {
      const { client } = await open();
      await expect(client.resources.read("near://nowhere")).rejects.toMatchObject({
        wireCode: since({ "2024-11-05": -32002, "2026-07-28": -32602 }),
        data: { uri: "near://nowhere" },
      });
    });
  },
  { fixture: "mounting" },
);
