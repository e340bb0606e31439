import { createServer } from "allspeak";
import { describe, expect, it } from "vitest";
import { alone, openRaw, type Wire } from "../support/raw-client.ts";

const make = (options = {}) => createServer({ name: "s", version: "1", log: () => {}, ...options });
const call = (server: ReturnType<typeof make>, name: string, args: Wire = {}) =>
  openRaw(server).result("tools/call", alone({ name, arguments: args }));

describe("who sees what", () => {
  it("hidden tools are neither listed nor known", async () => {
    const server = make();
    server.tool("for-raw", { enabled: (ctx) => ctx.client.info?.name === "raw" }, () => "yes");
    server.tool("for-others", { enabled: async (ctx) => ctx.client.info?.name !== "raw" }, () => "no");
    const listed = await openRaw(server).result("tools/list", alone());
    expect(listed).toMatchObject({ tools: [{ name: "for-raw" }], cacheScope: "private" });
    expect(await call(server, "for-raw")).toMatchObject({ content: [{ text: "yes" }] });
    await expect(call(server, "for-others")).rejects.toMatchObject({
      code: -32602,
      message: "Unknown tool: for-others",
    });
  });

  it("a tool that needs a capability is refused before it runs", async () => {
    let ran = 0;
    const server = make();
    server.tool("t", { needs: ["sampling"] }, () => String(++ran));
    await expect(call(server, "t")).rejects.toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { sampling: {} } },
    });
    expect(ran).toBe(0);
    const able = alone({ name: "t" }, { sampling: {} });
    expect(await openRaw(server).result("tools/call", able)).toMatchObject({ content: [{ text: "1" }] });
  });

  it("a client that lacks several capabilities reads them all in one refusal", async () => {
    const server = make();
    const needs = ["sampling.tools", "elicitation.url", "extensions.com.example/maps"];
    server.tool("t", { needs, task: "required" }, () => "");
    const lacking = {
      sampling: { tools: {} },
      elicitation: { url: {} },
      extensions: { "com.example/maps": {}, "io.modelcontextprotocol/tasks": {} },
    };
    await expect(call(server, "t")).rejects.toMatchObject({
      code: -32021,
      data: { requiredCapabilities: lacking },
    });
    const strict = make({ requires: ["sampling", "roots"] });
    await expect(openRaw(strict).result("server/discover", alone())).rejects.toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { sampling: {}, roots: {} } },
    });
    await expect(openRaw(strict).initialize("2025-11-25", { roots: {} })).rejects.toMatchObject({
      code: -32602,
      data: { requiredCapabilities: { sampling: {} } },
    });
  });

  it("a client that lacks what questions in parallel need reads all of it in one refusal", async () => {
    const server = make();
    const request = {
      messages: [{ role: "user", content: { type: "text", text: "?" } }],
      maxTokens: 9,
    } as const;
    server.tool("t", {}, async (_, ctx) => {
      await Promise.all([ctx.sample(request), ctx.roots(), ctx.roots({ fallback: [] })]);
      return "";
    });
    await expect(call(server, "t")).rejects.toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { sampling: {}, roots: {} } },
    });
    const able = alone({ name: "t", arguments: {} }, { sampling: {} });
    await expect(openRaw(server).result("tools/call", able)).rejects.toMatchObject({
      data: { requiredCapabilities: { roots: {} } },
    });
  });
});
