import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { InspectorPage, program } from "../support/chromium.ts";

const key = "k3yOfAda7Lovelace1815";
const inputSchema = { type: "object", properties: { page: { type: "string" } } };
const results: Readonly<Record<string, object>> = {
  "server/discover": { supportedVersions: ["2026-07-28"], capabilities: { tools: {} } },
  "tools/list": { tools: [{ name: "look", inputSchema }] },
  "tools/call": { content: [{ type: "text", text: "seen" }] },
};

/** A server without a name: people call it by its address. */
function createNameless(): Server {
  return createServer(async (request, response) => {
    const { id, method } = JSON.parse(await text(request));
    const result = { ...results[method], resultType: "complete", ttlMs: 0, cacheScope: "private" };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
  });
}

describe.skipIf(program === undefined)("the page, with secrets in addresses", () => {
  const nameless = createNameless();
  let inspected: InspectorPage;
  let origin: string;

  beforeAll(async () => {
    await new Promise<void>((resolve) => nameless.listen(0, "127.0.0.1", resolve));
    origin = `http://127.0.0.1:${(nameless.address() as AddressInfo).port}`;
    inspected = await InspectorPage.open({});
  });
  afterAll(async () => {
    await inspected?.close();
    nameless.closeAllConnections();
    await new Promise((resolve) => nameless.close(resolve));
  });

  const stored = () => inspected.page.evaluate(() => JSON.stringify(localStorage));

  test("remembers an address up to the part of its path that is a key", async () => {
    const { page } = inspected;
    await page.getByLabel("Address").fill(`${origin}/s/${key}/mcp?k=${key}`);
    await inspected.button(/^Connect$/).click();
    await inspected.tool("look");
    expect(await stored()).toContain(`${origin}/s/`);
    expect(await stored()).not.toContain(key);
  });

  test("remembers the arguments of a server that is called by its address, without the key of the address", async () => {
    const { page } = inspected;
    const field = page.getByLabel(/^page/);
    await field.fill("https://example.com/menu");
    await page.waitForURL(({ hash }) => hash.includes("menu"));
    expect(await stored()).toContain("https://example.com/menu");
    await field.fill(`https://example.com/menu?k=${key}`);
    await page.waitForURL(({ hash }) => !hash.includes("menu"));
    expect((await stored()) + page.url()).not.toContain(key);
  });

  test("remembers a command line without the keys of the addresses in it", async () => {
    const { page } = inspected;
    await inspected.go("#/connect?by=command");
    const command = `npx mcp-remote ${origin}/s/${key}/mcp?k=${key} --debug`;
    await page.getByLabel("Command", { exact: true }).fill(command);
    await inspected.button("Show what would run").click();
    await inspected.button("Do not run it").click();
    await page.getByRole("alert").waitFor();
    expect(await stored()).toContain(`npx mcp-remote ${origin}/s/ --debug`);
    expect(await stored()).not.toContain(key);
  });
});
