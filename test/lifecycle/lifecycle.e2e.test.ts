import { expect, it } from "vitest";
import { describeRawInMemory } from "../matrix/raw-memory.ts";
import { alone } from "../support/raw-client.ts";

const sessionRevisions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
const everyRevision = ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
const clientInfo = { name: "raw", version: "1" };

describeRawInMemory("opening a session", (open) => {
  it.each(sessionRevisions)("agrees on %s when that is asked for", async (version) => {
    const raw = await open();
    expect((await raw.initialize(version)).protocolVersion).toBe(version);
  });

  it.each(["1999-12-31", "2026-07-28"])("offers its newest session for %s", async (version) => {
    const raw = await open();
    expect((await raw.initialize(version)).protocolVersion).toBe("2025-11-25");
  });

  it("lets only ping pass before", async () => {
    const raw = await open();
    expect(await raw.ask("ping")).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
    expect(await raw.ask("tools/list")).toMatchObject({ id: 2, error: { code: -32600 } });
    expect(await raw.ask("tools/call", { name: "echo" })).toMatchObject({ id: 3, error: { code: -32600 } });
  });

  it("may be done again, in another revision", async () => {
    const raw = await open();
    await raw.initialize("2025-06-18");
    expect(await raw.initialize("2025-11-25")).toMatchObject({ protocolVersion: "2025-11-25" });
    expect(await raw.result("ping")).toEqual({});
  });

  it("is refused without what it needs, and may be tried again", async () => {
    const raw = await open();
    const incomplete = [
      { capabilities: {}, clientInfo },
      { protocolVersion: "2025-11-25", clientInfo },
      { protocolVersion: "2025-11-25", capabilities: {} },
      { protocolVersion: 20251125, capabilities: {}, clientInfo },
    ];
    for (const params of incomplete) {
      expect(await raw.ask("initialize", params), JSON.stringify(params)).toMatchObject({
        error: { code: -32602 },
      });
    }
    expect(await raw.initialize()).toMatchObject({ protocolVersion: "2025-11-25" });
  });
});

describeRawInMemory("requests that name their revision", (open) => {
  it("discover what the server speaks", async () => {
    const raw = await open();
    const result = await raw.result("server/discover", alone());
    expect(result).toMatchObject({
      resultType: "complete",
      supportedVersions: everyRevision,
      capabilities: { tools: { listChanged: true } },
      instructions: "Call anything.",
      ttlMs: 5_000,
      cacheScope: "public",
      _meta: { "io.modelcontextprotocol/serverInfo": { name: "fixture", version: "1.2.3" } },
    });
    expect(result).not.toHaveProperty("serverInfo");
  });

  it("are refused with what is supported when they name an unknown one, or one of sessions", async () => {
    const raw = await open();
    for (const requested of ["2025-11-25", "2099-01-01"]) {
      const { error } = await raw.ask("tools/list", alone({}, {}, requested));
      expect(error).toMatchObject({ code: -32022, data: { supported: everyRevision, requested } });
    }
  });

  it("need to say what the client can do, but not who it is", async () => {
    const raw = await open();
    const version = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" };
    const capabilities = { "io.modelcontextprotocol/clientCapabilities": {} };
    expect(await raw.ask("tools/list", { _meta: version })).toMatchObject({ error: { code: -32602 } });
    expect(await raw.ask("server/discover", { _meta: capabilities })).toMatchObject({
      error: { code: -32602 },
    });
    expect(await raw.ask("server/discover")).toMatchObject({ error: { code: -32602 } });
    expect(await raw.ask("tools/list", { _meta: { ...version, ...capabilities } })).toMatchObject({
      result: { resultType: "complete" },
    });
  });

  it("find nothing there that belongs to sessions", async () => {
    const raw = await open();
    for (const method of [
      "initialize",
      "ping",
      "logging/setLevel",
      "resources/subscribe",
      "example/unknown",
    ]) {
      expect(await raw.ask(method, alone()), method).toMatchObject({ error: { code: -32601 } });
    }
  });
});

describeRawInMemory("ids", (open) => {
  it("are strings or integers and nothing else", async () => {
    const raw = await open();
    for (const id of [null, 1.5, true, {}]) raw.say({ jsonrpc: "2.0", id, method: "ping" });
    await raw.result("ping");
    const refused = { jsonrpc: "2.0", error: { code: -32600, message: expect.any(String) } };
    expect(raw.heard.slice(0, -1)).toEqual([refused, refused, refused, refused]);
  });

  it("are refused while a request with the same one is open", async () => {
    const raw = await open();
    await raw.initialize();
    const params = { name: "wait", arguments: { name: "duplicate" }, _meta: { progressToken: "p" } };
    raw.say({ jsonrpc: "2.0", id: "same", method: "tools/call", params });
    await raw.until(({ method }) => method === "notifications/progress");
    expect(await raw.ask("ping", {}, "same")).toMatchObject({ id: "same", error: { code: -32600 } });
    raw.notify("notifications/cancelled", { requestId: "same" });
    expect(await raw.ask("ping", {}, "same")).toMatchObject({ id: "same", result: {} });
  });
});

describeRawInMemory("batches", (open) => {
  const ping = (id: number) => ({ jsonrpc: "2.0", id, method: "ping" });
  const notice = { jsonrpc: "2.0", method: "notifications/unheard-of" };
  const isBatch = (message: object) => Array.isArray(message);

  it("of notifications alone are not answered", async () => {
    const raw = await open();
    await raw.initialize("2025-03-26");
    raw.say([notice, notice]);
    await raw.result("ping");
    expect(raw.heard.filter(({ result }) => result === undefined)).toEqual([]);
    expect(raw.heard).toHaveLength(2);
  });

  it("may not contain initialize", async () => {
    const raw = await open();
    await raw.initialize("2025-03-26");
    raw.say([{ jsonrpc: "2.0", id: 5, method: "initialize", params: {} }, ping(6)]);
    expect(await raw.until(isBatch)).toMatchObject([
      { id: 5, error: { code: -32600 } },
      { id: 6, result: {} },
    ]);
  });

  it.each(["2025-06-18", "2025-11-25"])("do not exist in %s", async (version) => {
    const raw = await open();
    await raw.initialize(version);
    raw.say([ping(10)]);
    const { error } = await raw.until(({ error }) => error !== undefined);
    expect(error).toMatchObject({ code: -32600 });
  });

  it.each([
    ["before a session is open", false, [ping(1)]],
    ["with more than a hundred messages", true, Array.from({ length: 101 }, (_, index) => ping(index))],
    ["without any", true, []],
  ])("are refused %s", async (_, opened, batch) => {
    const raw = await open();
    if (opened) await raw.initialize("2025-03-26");
    raw.say(batch);
    const { id, error } = await raw.until(({ error }) => error !== undefined);
    expect({ id, error }).toMatchObject({ id: opened ? null : undefined, error: { code: -32600 } });
  });
});

describeRawInMemory("news of changes", (open) => {
  it("waits until the client says that it is ready", async () => {
    const raw = await open();
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
    await raw.result("initialize", params);
    const call = (name: string, args: object) => raw.result("tools/call", { name, arguments: args });
    await call("register", { name: "early" });
    await call("nothing", {});
    expect(raw.heard.filter(({ method }) => method)).toEqual([]);
    raw.notify("notifications/initialized");
    await call("change", { name: "early", action: "remove" });
    await raw.until(({ method }) => method === "notifications/tools/list_changed");
  });
});
