import { createServer } from "allspeak";
import { describe, expect, it } from "vitest";
import { alone, openRaw, type Wire } from "../support/raw-client.ts";

describe("a progress token that is neither a string nor an integer", () => {
  const server = createServer({ name: "s", version: "1" });
  server.tool("work", {}, async (_, ctx) => {
    await ctx.progress(1);
    return "done";
  });

  it.each([1.5, null, true, {}, ["a"], [1]])("is not sent back: %j", async (progressToken) => {
    const params = { name: "work", _meta: { progressToken } };
    for (const revision of ["2024-11-05", "2025-11-25"]) {
      const client = openRaw(server);
      await client.initialize(revision);
      expect(await client.result("tools/call", params)).toMatchObject({ content: [{ text: "done" }] });
      expect(client.heard.filter(isProgress)).toEqual([]);
    }
    const client = openRaw(server);
    expect(await client.result("tools/call", alone(params))).toMatchObject({ content: [{ text: "done" }] });
    expect(client.heard.filter(isProgress)).toEqual([]);
  });

  it.each(["", "a".repeat(1_000), 0, -1])("is told from one that is: %j", async (progressToken) => {
    const client = openRaw(server);
    await client.result("tools/call", alone({ name: "work", _meta: { progressToken } }));
    expect(client.heard.filter(isProgress)).toMatchObject([{ params: { progressToken, progress: 1 } }]);
  });
});

function isProgress({ method }: Wire): boolean {
  return method === "notifications/progress";
}
