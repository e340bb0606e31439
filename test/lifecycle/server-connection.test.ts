import { createServer, tool } from "allspeak";
import { describe, expect, it } from "vitest";
import { alone, openRaw } from "../support/raw-client.ts";

const echo = tool("echo", {}, (args) => JSON.stringify(args));
const make = (options = {}) =>
  createServer({ name: "s", version: "1", tools: [echo], log: () => {}, ...options });

describe("opening", () => {
  it("lets only ping pass before initialize", async () => {
    const client = openRaw(make());
    expect(await client.ask("ping")).toMatchObject({ result: {} });
    expect(await client.ask("tools/list")).toMatchObject({ error: { code: -32600 } });
    expect(await client.ask("unknown/method")).toMatchObject({ error: { code: -32600 } });
    await client.initialize();
    expect(await client.ask("tools/list")).toMatchObject({ result: { tools: [{ name: "echo" }] } });
  });

  it("tells a stateless request that names no revision so, and not to open a session", async () => {
    const { _meta: meta } = alone() as { _meta: Record<string, unknown> };
    const { "io.modelcontextprotocol/protocolVersion": _, ...unversioned } = meta;
    expect(await openRaw(make()).ask("tools/list", { _meta: unversioned })).toMatchObject({
      error: { code: -32602, data: { supported: expect.arrayContaining(["2026-07-28"]) } },
    });
  });

  it.each(["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])(
    "agrees on %s when asked for it",
    async (version) => {
      expect(await openRaw(make()).initialize(version)).toMatchObject({ protocolVersion: version });
    },
  );

  it("answers an unknown version with its newest that opens by a handshake", async () => {
    expect(await openRaw(make()).initialize("1.0.0")).toMatchObject({ protocolVersion: "2025-11-25" });
  });

  it.each([{}, { protocolVersion: 5 }, { protocolVersion: "2025-11-25", capabilities: {} }])(
    "refuses initialize with the params %j",
    async (params) => {
      expect(await openRaw(make()).ask("initialize", params)).toMatchObject({ error: { code: -32602 } });
    },
  );

  it("names what it speaks when it opens no sessions", async () => {
    const client = openRaw(make({ revisions: ["2026-07-28"] }));
    await expect(client.initialize()).rejects.toMatchObject({
      code: -32602,
      data: { supported: ["2026-07-28"], requested: "2025-11-25" },
    });
    expect(await client.ask("tools/list")).toMatchObject({ error: { code: -32602 } });
  });

  it("refuses a client that lacks what is required, naming it", async () => {
    const server = make({ requires: ["sampling.tools"] });
    const needed = { requiredCapabilities: { sampling: { tools: {} } } };
    await expect(openRaw(server).initialize("2025-11-25", { sampling: {} })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining("sampling.tools"),
      data: needed,
    });
    expect(await openRaw(server).ask("tools/list", alone())).toMatchObject({
      error: { code: -32021, data: needed },
    });
    const able = { sampling: { tools: {} } };
    expect(await openRaw(server).ask("tools/list", alone({}, able))).toHaveProperty("result");
  });
});

describe("requests that name their revision", () => {
  it("need no session, and may share a pipe with one", async () => {
    const client = openRaw(make());
    const first = await client.result("tools/call", alone({ name: "echo", arguments: { a: 1 } }));
    expect(first).toMatchObject({ resultType: "complete", content: [{ text: '{"a":1}' }] });
    await client.initialize("2024-11-05");
    const [old, fresh] = await Promise.all([
      client.result("tools/call", { name: "echo" }),
      client.result("tools/call", alone({ name: "echo" })),
    ]);
    expect(old).not.toHaveProperty("resultType");
    expect(fresh).toHaveProperty("resultType", "complete");
  });

  it.each([
    ["no metadata", {}],
    ["no version", { _meta: { "io.modelcontextprotocol/clientCapabilities": {} } }],
    ["no capabilities", { _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28" } }],
    ["a version that is no string", { _meta: { "io.modelcontextprotocol/protocolVersion": 5 } }],
  ])("are refused with -32602 when they have %s", async (_, params) => {
    expect(await openRaw(make()).ask("server/discover", params)).toMatchObject({ error: { code: -32602 } });
  });

  it("are refused with -32022 and the list of versions when the version is unknown", async () => {
    const reply = await openRaw(make()).ask("tools/list", alone({}, {}, "v999.0.0"));
    expect(reply).toMatchObject({
      error: {
        code: -32022,
        data: { requested: "v999.0.0", supported: expect.arrayContaining(["2026-07-28"]) },
      },
    });
  });

  it.each([
    "initialize",
    "ping",
    "logging/setLevel",
    "resources/subscribe",
    "unknown/method",
    "toString",
    "__proto__",
  ])("do not find %s", async (method) => {
    expect(await openRaw(make()).ask(method, alone())).toMatchObject({ error: { code: -32601 } });
  });

  it("discover what the server speaks and offers", async () => {
    const server = make({ instructions: "Be brief." });
    expect(await openRaw(server).result("server/discover", alone())).toMatchObject({
      resultType: "complete",
      supportedVersions: ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"],
      capabilities: { tools: { listChanged: true } },
      instructions: "Be brief.",
      ttlMs: 0,
      cacheScope: "public",
      _meta: { "io.modelcontextprotocol/serverInfo": { name: "s", version: "1" } },
    });
  });
});

describe("capabilities", () => {
  it("follow from what is registered, and gate the methods", async () => {
    const server = createServer({ name: "s", version: "1" });
    const client = openRaw(server);
    expect((await client.initialize()).capabilities).toEqual({ logging: {} });
    expect(await client.ask("prompts/list")).toMatchObject({ error: { code: -32601 } });
    const args = { type: "object", properties: { a: { type: "string" } } };
    server.prompt("p", { args, complete: { a: () => ["x"] } }, () => "text");
    expect(await client.ask("prompts/list")).toMatchObject({ result: { prompts: [{ name: "p" }] } });
    expect((await openRaw(server).initialize()).capabilities).toEqual({
      logging: {},
      prompts: { listChanged: true },
      completions: {},
    });
  });

  it("pass experimental ones and extensions through", async () => {
    const capabilities = { experimental: { mine: {} }, extensions: { "com.example/x": { a: 1 } } };
    const greeting = await openRaw(make({ capabilities, logging: false })).initialize();
    expect(greeting.capabilities).toEqual({ tools: { listChanged: true }, ...capabilities });
  });
});

describe("a session", () => {
  it("hears of changes once it is ready, and not before", async () => {
    const server = make();
    const client = openRaw(server);
    await client.result("initialize", {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "raw", version: "1" },
    });
    server.tool("early", "", () => "");
    await client.settle();
    expect(client.heard.some(({ method }) => method === "notifications/tools/list_changed")).toBe(false);
    client.notify("notifications/initialized");
    await client.settle();
    server.tool("late", "", () => "");
    server.tool("later", "", () => "");
    await client.settle();
    const told = client.heard.filter(({ method }) => method === "notifications/tools/list_changed");
    expect(told).toHaveLength(1);
  });

  it("answers a batch where batches exist, and refuses it elsewhere", async () => {
    const ping = (id: number) => ({ jsonrpc: "2.0", id, method: "ping" });
    const older = openRaw(make());
    await older.initialize("2025-03-26");
    older.say([ping(101), ping(102)]);
    const replies = (await older.until((message) => Array.isArray(message))) as unknown as { id: number }[];
    expect(replies.map(({ id }) => id)).toEqual([101, 102]);

    const newer = openRaw(make());
    await newer.initialize("2025-06-18");
    newer.say([ping(101)]);
    expect(await newer.until((message) => "error" in message)).toMatchObject({
      id: null,
      error: { code: -32600 },
    });
  });
});

describe("listening", () => {
  it("acknowledges first, tells only what was asked for, and tags it", async () => {
    const server = make();
    server.prompt("p", {}, () => "x");
    const client = openRaw(server);
    const filter = { toolsListChanged: true, promptsListChanged: true, resourceSubscriptions: ["file:///a"] };
    void client.ask("subscriptions/listen", alone({ notifications: filter }), "sub-1");
    const tag = { "io.modelcontextprotocol/subscriptionId": "sub-1" };
    expect(await client.until(({ method }) => method === "notifications/subscriptions/acknowledged")).toEqual(
      {
        jsonrpc: "2.0",
        method: "notifications/subscriptions/acknowledged",
        params: { notifications: { toolsListChanged: true, promptsListChanged: true }, _meta: tag },
      },
    );
    void server.resources.updated("file:///a");
    server.tool("late", "", () => "");
    expect(await client.until(({ method }) => method === "notifications/tools/list_changed")).toMatchObject({
      params: { _meta: tag },
    });
    expect(client.heard.some(({ method }) => method === "notifications/resources/updated")).toBe(false);

    client.notify("notifications/cancelled", { requestId: "sub-1" });
    await client.settle();
    const before = client.heard.length;
    server.tool("after", "", () => "");
    expect((await client.settle()).length).toBe(before);
  });
});
