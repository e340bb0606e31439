import { createServer, prompt, resource, tool } from "allspeak";
import { describe, expect, it } from "vitest";
import { openClient } from "../support/open-client.ts";
import { alone, openRaw } from "../support/raw-client.ts";
import { discoverServer, everyCapability } from "../support/scripted-server.ts";

const unsafe = [
  "javascript:alert(1)",
  "JAVASCRIPT:alert(1)",
  "java\nscript:alert(1)",
  "file:///etc/passwd",
  "ftp://example.com/i.png",
  "ws://example.com",
  "vscode://open",
  "http://example.com/i.png",
  "//example.com/i.png",
  "i.png",
  "",
];
const safe = [{ src: "https://example.com/i.png" }, { src: "data:image/png;base64,AA==" }];
const icons = [...unsafe.map((src) => ({ src })), ...safe];

describe("icons that a program might act on", () => {
  it("never reach the host", async () => {
    const item = { name: "a", icons };
    const listed = [{ ...item, uri: "test://a" }];
    const server = discoverServer({
      script: {
        "server/discover": () => ({
          resultType: "complete",
          supportedVersions: ["2026-07-28"],
          capabilities: everyCapability,
          _meta: { "io.modelcontextprotocol/serverInfo": { name: "s", version: "1", icons } },
        }),
        "tools/list": () => ({
          tools: [
            { ...item, inputSchema: { type: "object" } },
            { name: "b", inputSchema: {} },
          ],
        }),
        "prompts/list": () => ({ prompts: [item] }),
        "resources/list": () => ({ resources: listed }),
        "resources/templates/list": () => ({ resourceTemplates: [{ ...item, uriTemplate: "test://{a}" }] }),
        "tools/call": () => ({ content: [{ type: "resource_link", uri: "test://a", ...item }] }),
        "prompts/get": () => ({
          messages: [{ role: "user", content: { type: "resource_link", uri: "test://a", ...item } }],
        }),
      },
    });
    const client = await openClient(server);
    const [tool, other] = await client.tools.list().all();
    expect(tool?.icons).toEqual(safe);
    expect(other).not.toHaveProperty("icons");
    expect((await client.prompts.list().all())[0]?.icons).toEqual(safe);
    expect((await client.resources.list().all())[0]?.icons).toEqual(safe);
    expect((await client.resources.templates().all())[0]?.icons).toEqual(safe);
    expect((await client.tools.call("a")).content).toMatchObject([{ icons: safe }]);
    expect((await client.prompts.get("a")).messages).toMatchObject([{ content: { icons: safe } }]);
    expect(client.server.info?.icons).toEqual(safe);
  });

  it.each(unsafe)("are refused where they are registered: %j", (src) => {
    const bad = { icons: [{ src }] };
    const server = createServer({ name: "s", version: "1" });
    for (const definition of [
      tool("t", bad, () => ""),
      resource("test://r", bad, () => ""),
      prompt("p", bad, () => ""),
    ])
      expect(() => server.add(definition)).toThrow(/https: or data:/);
    expect(() => createServer({ name: "s", version: "1", ...bad })).toThrow(/https: or data:/);
  });

  it("of a client do not reach the handlers of a server", async () => {
    const server = createServer({ name: "s", version: "1" });
    server.tool("who", {}, (_, ctx) => JSON.stringify(ctx.client.info?.icons));
    const clientInfo = { name: "c", version: "1", icons };
    const seen = { content: [{ text: JSON.stringify(safe) }] };
    const session = openRaw(server);
    await session.result("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
    expect(await session.result("tools/call", { name: "who" })).toMatchObject(seen);
    const { _meta, ...params } = alone({ name: "who" });
    const meta = { ...(_meta as object), "io.modelcontextprotocol/clientInfo": clientInfo };
    expect(await openRaw(server).result("tools/call", { ...params, _meta: meta })).toMatchObject(seen);
  });
});
