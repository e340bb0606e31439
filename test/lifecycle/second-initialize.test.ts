import { createServer } from "allspeak";
import { describe, expect, it } from "vitest";
import { alone, openRaw } from "../support/raw-client.ts";

/** A server whose tool `wait` goes on until it is aborted. */
function createWaitingServer() {
  const aborted: unknown[] = [];
  let begin: () => void;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const server = createServer({ name: "s", version: "1", logging: true });
  server.tool("wait", {}, (_, { signal }) => {
    begin();
    return new Promise<string>((resolve) =>
      signal.addEventListener("abort", () => {
        aborted.push(signal.reason);
        resolve("late");
      }),
    );
  });
  server.tool("who", {}, (_, ctx) => `${ctx.client.info?.name} ${ctx.revision}`);
  server.tool("ask", {}, async (_, ctx) => JSON.stringify(await ctx.roots()));
  server.resource("test://r", { name: "r" }, () => "");
  return { server, begun, aborted };
}

const openWith = (name: string, protocolVersion: string, capabilities = {}) => ({
  protocolVersion,
  capabilities,
  clientInfo: { name, version: "1" },
});

describe("a second initialize on one pipe", () => {
  it("opens a session of its own, whatever the first was", async () => {
    const { server } = createWaitingServer();
    const client = openRaw(server);
    await client.initialize("2025-11-25", { roots: {} });
    const opened = await client.result("initialize", openWith("second", "2024-11-05"));
    expect(opened).toMatchObject({ protocolVersion: "2024-11-05" });
    client.notify("notifications/initialized");
    const result = await client.result("tools/call", { name: "who" });
    expect(result).toEqual({ content: [{ type: "text", text: "second 2024-11-05" }] });
  });

  it("ends the calls of the first session, each with an error, before it is answered", async () => {
    const { server, begun, aborted } = createWaitingServer();
    const client = openRaw(server);
    await client.initialize();
    const waiting = client.ask("tools/call", { name: "wait" }, "of-the-first");
    await begun;
    await client.result("initialize", openWith("second", "2025-11-25"));
    expect(await waiting).toMatchObject({
      error: { code: -32603, message: expect.stringContaining("ended") },
    });
    expect(aborted).toHaveLength(1);
    const [, ...rest] = client.heard.map(({ id }) => id);
    expect(rest.slice(0, 1)).toEqual(["of-the-first"]);
    await client.ask("ping");
    expect(client.heard.filter(({ id }) => id === "of-the-first")).toHaveLength(1);
  });

  it("may use the id of a call that runs", async () => {
    const { server, begun, aborted } = createWaitingServer();
    const client = openRaw(server);
    await client.initialize();
    client.say({ jsonrpc: "2.0", id: 0, method: "tools/call", params: { name: "wait" } });
    await begun;
    const opened = await client.ask("initialize", openWith("second", "2025-11-25"), 0);
    expect(opened).toMatchObject({ result: { protocolVersion: "2025-11-25" } });
    expect(aborted).toHaveLength(1);
  });

  it("forgets subscriptions, the log level and questions of the first session", async () => {
    const { server } = createWaitingServer();
    const client = openRaw(server);
    await client.initialize("2025-11-25", { roots: {} });
    await client.result("resources/subscribe", { uri: "test://r" });
    await client.result("logging/setLevel", { level: "emergency" });
    const asking = client.ask("tools/call", { name: "ask" });
    const question = await client.until(({ method }) => method === "roots/list");
    await client.result("initialize", openWith("second", "2025-11-25"));
    client.notify("notifications/initialized");
    expect(await asking).toMatchObject({ error: {} });
    client.say({ jsonrpc: "2.0", id: question.id, result: { roots: [] } });
    void server.resources.updated("test://r");
    server.log("info", "heard again");
    await client.until(({ method }) => method === "notifications/message");
    await client.ask("ping");
    expect(client.heard.some(({ method }) => method === "notifications/resources/updated")).toBe(false);
  });

  it("leaves calls alone that name their own revision", async () => {
    const { server, begun, aborted } = createWaitingServer();
    const client = openRaw(server);
    client.say({ jsonrpc: "2.0", id: "alone", method: "tools/call", params: alone({ name: "wait" }) });
    await begun;
    await client.initialize();
    await client.result("initialize", openWith("second", "2025-11-25"));
    expect(aborted).toEqual([]);
    client.notify("notifications/cancelled", { requestId: "alone" });
    await client.ask("ping");
    expect(aborted).toHaveLength(1);
  });

  it("that is refused leaves the first session as it is", async () => {
    const { server, begun, aborted } = createWaitingServer();
    const client = openRaw(server);
    await client.initialize();
    void client.ask("tools/call", { name: "wait" });
    await begun;
    expect(await client.ask("initialize", { protocolVersion: "2025-11-25" })).toMatchObject({
      error: { code: -32602 },
    });
    expect(aborted).toEqual([]);
    expect(await client.result("tools/call", { name: "who" })).toMatchObject({
      content: [{ text: "raw 2025-11-25" }],
    });
  });
});
