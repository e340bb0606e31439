import { fileURLToPath } from "node:url";
import { serveHttp } from "allspeak/node";
import { describe, expect, onTestFinished, test } from "vitest";
import { openDemo } from "../support/demo.ts";
import { openPage } from "../support/page.ts";
import { createDemoServer } from "../support/server.ts";

const hostile = fileURLToPath(new URL("../fixtures/hostile.mjs", import.meta.url));

describe("the wire", () => {
  test("windows are found by filter, search and place", async () => {
    const { page, connection } = await openDemo();
    const operation = { kind: "call-tool", name: "echo", arguments: { text: "needle" } } as const;
    await page.send("load-test", { connection, operation, calls: 300, concurrency: 1 });

    const calls = { methods: ["tools/call"], kinds: ["request"] } as const;
    const window = await page.send("read-wire", { filter: calls, from: 100, count: 5 });
    expect(window.matching).toBe(300);
    expect(window.entries).toHaveLength(5);
    const [first] = window.entries;
    const seq = first?.seq ?? 0;
    expect(await page.send("find-wire", { filter: calls, seq })).toEqual({ index: 100, isMatch: true });
    expect(await page.send("find-wire", { filter: calls, seq: seq - 1 })).toEqual({
      index: 100,
      isMatch: false,
    });
    expect(await page.send("read-wire", { filter: { search: "NEEDLE" }, from: 0, count: 1 })).toMatchObject({
      matching: 600,
    });
    expect(await page.send("read-wire", { filter: { search: "a.*b" }, from: 0, count: 1 })).toMatchObject({
      matching: 0,
    });

    const spans = await page.send("read-calls", { filter: calls, from: 299, count: 10 });
    expect(spans.calls).toMatchObject([
      { from: "client", name: "echo", outcome: "result", ms: expect.any(Number) },
    ]);
    await page.send("clear-wire", {});
    expect(await page.send("read-wire", { from: 0, count: 1 })).toMatchObject({
      matching: 0,
      totals: { count: 0 },
    });
  });

  test("long texts are cut in lists, and whole on demand", async () => {
    const { page, connection } = await openDemo();
    const text = "x".repeat(10_000);
    const { wire } = await page.send("call-tool", { connection, name: "echo", arguments: { text } });
    const { entry, text: whole } = await page.send("read-wire-entry", { seq: wire?.[0] ?? 0 });
    expect(entry).toMatchObject({ isCut: true, bytes: whole.length });
    expect(entry.text).toHaveLength(2_000);
    expect(JSON.parse(whole).params.arguments.text).toBe(text);
  });

  test("the HTTP around a message is shown with secrets masked", async () => {
    const running = await serveHttp(createDemoServer());
    onTestFinished(() => running.close());
    const { page } = await openPage();
    const headers = { authorization: "Bearer hidden-value", "x-api-key": "hidden-value", "x-plain": "shown" };
    const target = { kind: "url", url: `${running.url}?token=hidden-value`, headers } as const;
    const { connection } = await page.send("connect", { target });
    const { wire } = await page.send("ping", { connection: connection.id });
    const { http } = await page.send("read-wire-entry", { seq: wire?.[0] ?? 0 });
    expect(http).toMatchObject({ method: "POST", status: 200, headersMs: expect.any(Number) });
    expect(http?.requestHeaders).toContainEqual({
      name: "authorization",
      value: "Bearer •••",
      isMasked: true,
    });
    expect(http?.requestHeaders).toContainEqual({ name: "x-plain", value: "shown" });
    expect(JSON.stringify(http)).not.toContain("hidden-value");
  });

  test("breaches of the specification are marked with the page that says so, and stop nothing", async () => {
    const target = { command: process.execPath, args: [hostile] };
    const { page } = await openPage({ servers: { hostile: { target } } });
    const { connection } = await page.send("connect", { target: { kind: "offered", name: "hostile" } });
    expect(connection).toMatchObject({ state: "open", label: '<img src=x onerror="alert(1)">' });
    const { items, problems } = await page.send("list-tools", { connection: connection.id });
    expect(items).toHaveLength(1);
    expect(problems).not.toEqual([]);
    await page
      .send("call-tool", { connection: connection.id, name: items[0]?.name ?? "", arguments: {} })
      .catch(() => {});

    const filter = { connections: [connection.id], hasWarnings: true };
    const { entries } = await page.send("read-wire", { filter, from: 0, count: 100 });
    const site = "https://modelcontextprotocol.io/specification/2025-11-25";
    expect(entries.flatMap(({ warnings }) => warnings)).toEqual([
      { message: "Message is not valid JSON.", page: `${site}/basic` },
      { message: "2025-11-25 has no batches: each message is sent alone.", page: `${site}/basic` },
      { message: "It answers no request that is open.", page: `${site}/basic` },
      {
        message: "The server sends notifications/tools/list_changed and did not declare tools.listChanged.",
        page: `${site}/server/tools`,
      },
      { message: "Progress must increase: 4 came after 5.", page: `${site}/basic/utilities/progress` },
      { message: "tools/call is for clients to send.", page: `${site}/server/tools` },
      {
        message: expect.stringContaining("The result of tools/list: result.tools[1]"),
        page: `${site}/server/tools`,
      },
      {
        message: expect.stringContaining("The result of tools/call: result.content"),
        page: `${site}/server/tools`,
      },
    ]);
  });

  test("a recording of 100,000 messages is shown, searched and scrolled without a wait", async () => {
    const { page } = await openPage();
    const head = { transcript: 1, startedAt: "2026-01-01T00:00:00.000Z", transport: { kind: "stdio" } };
    const exchanges = Array.from({ length: 50_000 }, (_, id) => [
      {
        at: id,
        from: "client",
        message: { jsonrpc: "2.0", id, method: "tools/call", params: { name: `t${id}` } },
      },
      { at: id + 0.5, from: "server", message: { jsonrpc: "2.0", id, result: { content: [] } } },
    ]);
    const text = [head, ...exchanges.flat()].map((line) => JSON.stringify(line)).join("\n");
    const { recording } = await page.send("load-recording", { name: "long", text });
    const before = process.cpuUsage();
    const shown = await page.send("show-recording", { recording: recording.id });
    expect(shown.wire).toEqual([1, 100_000]);
    const filter = { connections: [shown.connection], search: "t49999" };
    const found = await page.send("read-wire", { filter, from: 0, count: 100 });
    expect(found.entries).toMatchObject([
      { seq: 99_999, pair: 100_000, name: "t49999" },
      { seq: 100_000, pair: 99_999, name: "t49999" },
    ]);
    const windows = [0, 25_000, 49_900].map((from) => page.send("read-calls", { from, count: 100 }));
    expect((await Promise.all(windows)).map(({ calls }) => calls.length)).toEqual([100, 100, 100]);
    // Work that grew with the square of the messages would take minutes of the processor, which others may share.
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(10_000);
  }, 60_000);
});
