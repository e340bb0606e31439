import { createServer } from "allspeak";
import { serveHttp } from "allspeak/node";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { exchange } from "../support/http/exchange.ts";
import { RawSession, toInitialize } from "../support/http/raw-session.ts";
import { openRaw } from "../support/raw-client.ts";

function createAskingServer() {
  const server = createServer({ name: "s", version: "1", log: () => {} });
  server.tool("ask", {}, async (_, ctx) => JSON.stringify(await ctx.roots()));
  return server;
}

afterEach(() => {
  vi.useRealTimers();
});

describe("a call before notifications/initialized", () => {
  const { params } = toInitialize("2025-11-25", { roots: {} });

  it("asks nothing until the client is initialized", async () => {
    const client = openRaw(createAskingServer());
    client.onRequest = () => ({ roots: [] });
    await client.result("initialize", params);
    const calling = client.ask("tools/call", { name: "ask" });
    await client.ask("ping");
    expect(client.heard.some(({ method }) => method === "roots/list")).toBe(false);
    client.notify("notifications/initialized");
    expect(await calling).toMatchObject({ result: { content: [{ text: "[]" }] } });
  });

  it("fails where the client never is", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const client = openRaw(createAskingServer());
    await client.result("initialize", params);
    const calling = client.ask("tools/call", { name: "ask" });
    await client.ask("ping");
    await vi.advanceTimersByTimeAsync(5_000);
    expect(JSON.stringify(await calling)).toContain("notifications/initialized");
    expect(client.heard.some(({ method }) => method === "roots/list")).toBe(false);
  });

  it("asks nothing over HTTP either", async () => {
    const running = await serveHttp(createAskingServer());
    onTestFinished(() => running.close(0));
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const body = toInitialize("2025-11-25", { roots: {} });
    const opened = await exchange(running.url, { body, headers });
    await opened.text();
    const session = new RawSession(running.url, String(opened.headers["mcp-session-id"]), "2025-11-25");
    const calling = session.ask("tools/call", { name: "ask" });
    await (await session.ask("ping")).text();
    await (await session.notify("notifications/initialized")).text();
    const events = (await calling).events();
    const question = await events.message();
    expect(question).toMatchObject({ method: "roots/list" });
    await (await session.answer(question?.id, { roots: [] })).text();
    expect(await events.message()).toMatchObject({ result: { content: [{ text: "[]" }] } });
  });
});
