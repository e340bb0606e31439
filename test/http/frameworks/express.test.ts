import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { createNodeHandler } from "allspeak/node";
import express, { type Express } from "express";
import { afterEach, describe, expect, it } from "vitest";
import { exchange } from "../../support/http/exchange.ts";
import { createFixture } from "../../support/http/fixture.ts";
import { openSession } from "../../support/http/raw-session.ts";
import { callNewest, toNewest } from "../../support/http/stateless-request.ts";

const closing: (() => Promise<unknown>)[] = [];
afterEach(() => Promise.all(closing.splice(0).map((close) => close())));

async function listen(app: Express, handle: { close(): Promise<void> }): Promise<string> {
  const http: Server = app.listen(0, "127.0.0.1");
  await once(http, "listening");
  closing.push(async () => {
    await handle.close();
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  });
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
}

describe("Express", () => {
  it("serves every revision, beside other routes", async () => {
    const { server } = createFixture();
    const mcp = createNodeHandler(server);
    const app = express();
    app.get("/", (_, response) => void response.send("home"));
    app.all(["/mcp", "/sse", "/messages"], mcp);
    const origin = await listen(app, mcp);
    expect(await (await exchange(origin)).text()).toBe("home");
    expect((await (await callNewest(`${origin}/mcp`, "echo", { text: "x" })).result()).result).toBeDefined();
    const session = await openSession(`${origin}/mcp`, "2025-11-25");
    expect(await (await session.call("steps", { count: 2 })).events().messages()).toHaveLength(3);
    const events = (await exchange(`${origin}/sse`)).events();
    expect((await events.next())?.data).toMatch(/^\/messages\?/);
    events.cut();
    expect((await exchange(`${origin}/other`)).status).toBe(404);
  });

  it("serves under a path of its own, with the paths that clients see", async () => {
    const { server } = createFixture();
    const sse = { path: "/api/sse", messagesPath: "/api/messages" };
    const mcp = createNodeHandler(server, { path: "/api/mcp", sse });
    const app = express();
    app.use("/api", mcp);
    const origin = await listen(app, mcp);
    expect((await callNewest(`${origin}/api/mcp`, "echo", { text: "x" })).status).toBe(200);
    const events = (await exchange(`${origin}/api/sse`)).events();
    expect((await events.next())?.data).toMatch(/^\/api\/messages\?/);
    events.cut();
  });

  it.each([
    ["express.json()", express.json()],
    ["express.text()", express.text({ type: "*/*" })],
    ["express.raw()", express.raw({ type: "*/*" })],
  ])("serves after %s has read the body", async (_, parser) => {
    const { server } = createFixture();
    const mcp = createNodeHandler(server);
    const app = express();
    app.use(parser);
    app.all("/mcp", mcp);
    const origin = await listen(app, mcp);
    const answer = await callNewest(`${origin}/mcp`, "echo", { text: "héllo" });
    expect((await answer.json()).result.content[0].text).toBe("héllo");
    const packed = toNewest("tools/call", { name: "echo", arguments: { text: "packed" } });
    const unpacked = await exchange(`${origin}/mcp`, {
      headers: { ...packed.headers, "content-encoding": "gzip" },
      body: gzipSync(JSON.stringify(packed.body)),
    });
    expect((await unpacked.json()).result.content[0].text).toBe("packed");
    const session = await openSession(`${origin}/mcp`, "2025-03-26");
    expect(await (await session.post([{ jsonrpc: "2.0", id: 1, method: "ping" }])).json()).toHaveLength(1);
    const { body, headers } = toNewest("tools/list", {}, { headers: { "content-type": "text/plain" } });
    expect((await exchange(`${origin}/mcp`, { body, headers })).status).toBe(415);
  });

  it("refuses a body that was parsed before and is nested too deeply", async () => {
    const { server, entered } = createFixture();
    const mcp = createNodeHandler(server);
    const app = express();
    app.use(express.json({ limit: "4mb" }));
    app.all("/mcp", mcp);
    const origin = await listen(app, mcp);
    const { headers } = toNewest("tools/list", {});
    for (const depth of [200, 400_000]) {
      const body = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":${"[".repeat(depth)}${"]".repeat(depth)}}`;
      const answer = await exchange(`${origin}/mcp`, { body, headers });
      expect([depth, answer.status, (await answer.json()).error.code]).toEqual([depth, 400, -32600]);
    }
    expect(entered()).toBe(0);
  });

  it("is behind the same guard", async () => {
    const { server, entered } = createFixture();
    const mcp = createNodeHandler(server);
    const app = express();
    app.use(mcp);
    const origin = await listen(app, mcp);
    const headers = { host: "evil.example" };
    expect((await callNewest(`${origin}/mcp`, "echo", { text: "x" }, { headers })).status).toBe(403);
    expect(entered()).toBe(0);
  });
});

it("a handler with a setting that can't be right is not made", () => {
  const { server } = createFixture();
  expect(() => createNodeHandler(server, { allowedOrigins: ["app.example.com"] })).toThrow("is not a URL");
});
