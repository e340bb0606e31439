import { expect, it } from "vitest";
import { describeRaw } from "../matrix/raw-pipes.ts";

const clientInfo = { name: "raw", version: "1" };

describeRaw("opening a session", (open) => {
  it("is not cancelled by anybody", async () => {
    const raw = await open();
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
    const answer = raw.ask("initialize", params, "open");
    raw.notify("notifications/cancelled", { requestId: "open" });
    expect(await answer).toMatchObject({ id: "open", result: { protocolVersion: "2025-11-25" } });
  });
});

describeRaw("ids", (open) => {
  it("come back with the type they had", async () => {
    const raw = await open();
    const answers = await Promise.all([
      raw.ask("ping", {}, 1),
      raw.ask("ping", {}, "1"),
      raw.ask("ping", {}, 0),
      raw.ask("ping", {}, ""),
      raw.ask("ping", {}, Number.MAX_SAFE_INTEGER),
    ]);
    expect(answers.map(({ id }) => id)).toEqual([1, "1", 0, "", Number.MAX_SAFE_INTEGER]);
  });
});

describeRaw("messages that can't be read", (open) => {
  it.each([
    ["2024-11-05", { jsonrpc: "2.0", id: null }],
    ["2025-03-26", { jsonrpc: "2.0", id: null }],
    ["2025-06-18", { jsonrpc: "2.0", id: null }],
    ["2025-11-25", { jsonrpc: "2.0" }],
  ])("are answered in a session of %s as it says", async (version, envelope) => {
    const raw = await open();
    await raw.initialize(version);
    raw.say('{"jsonrpc":"2.0",');
    const answer = await raw.until(({ error }) => error !== undefined);
    expect(answer).toEqual({ ...envelope, error: { code: -32700, message: expect.any(String) } });
    expect(await raw.result("ping")).toEqual({});
  });

  it("are answered under their id where they have one", async () => {
    const raw = await open();
    raw.say({ jsonrpc: "1.0", id: 7, method: "ping" });
    raw.say({ jsonrpc: "2.0", id: 8, method: 1 });
    raw.say({ jsonrpc: "2.0", id: 9, method: "ping", params: [] });
    raw.say({ jsonrpc: "2.0", id: 10, method: "ping", params: "x" });
    await raw.result("ping");
    expect(raw.heard.slice(0, -1)).toMatchObject([
      { id: 7, error: { code: -32600 } },
      { id: 8, error: { code: -32600 } },
      { id: 9, error: { code: -32602 } },
      { id: 10, error: { code: -32602 } },
    ]);
  });

  it("include unknown notifications and stray answers, which are passed over", async () => {
    const raw = await open();
    raw.notify("notifications/unheard-of", { a: 1 });
    raw.say({ jsonrpc: "2.0", id: 99, result: {} });
    await raw.result("ping");
    expect(raw.heard).toHaveLength(1);
  });
});

describeRaw("batches", (open) => {
  const ping = (id: number) => ({ jsonrpc: "2.0", id, method: "ping" });
  const notice = { jsonrpc: "2.0", method: "notifications/unheard-of" };
  const isBatch = (message: object) => Array.isArray(message);

  it.each(["2024-11-05", "2025-03-26"])("are answered as batches in %s", async (version) => {
    const raw = await open();
    await raw.initialize(version);
    raw.say([ping(10), notice, { jsonrpc: "2.0", id: 11, method: "example/unknown" }, ping(12)]);
    expect(await raw.until(isBatch)).toEqual([
      { jsonrpc: "2.0", id: 10, result: {} },
      { jsonrpc: "2.0", id: 11, error: { code: -32601, message: "Method not found: example/unknown" } },
      { jsonrpc: "2.0", id: 12, result: {} },
    ]);
  });
});
