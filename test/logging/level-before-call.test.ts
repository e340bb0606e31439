import { beforeEach, expect, test, vi } from "vitest";

// Parts of a server are loaded with their first use in a process.
beforeEach(() => {
  vi.resetModules();
});

test("a level that is set holds for the call that follows it at once", async () => {
  const { createServer } = await import("allspeak");
  const { openRaw } = await import("../support/raw-client.ts");
  const server = createServer({ name: "s", version: "1" });
  server.tool("work", {}, async (_, ctx) => {
    await ctx.log("debug", "working");
    return "done";
  });
  const client = openRaw(server);
  await client.initialize("2025-11-25");
  await Promise.all([
    client.result("logging/setLevel", { level: "debug" }),
    client.result("tools/call", { name: "work" }),
  ]);
  expect(client.heard.filter(({ method }) => method === "notifications/message")).toHaveLength(1);
});
