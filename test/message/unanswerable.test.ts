import { createServer } from "allspeak";
import { createFetchHandler } from "allspeak/http";
import { describe, expect, it } from "vitest";
import { alone, openRaw } from "../support/raw-client.ts";

const make = (reports: unknown[] = []) =>
  createServer({ name: "s", version: "1", log: (report) => void reports.push(report) });

const malformedNotifications = [
  { jsonrpc: "2.0", method: "notifications/initialized", params: [1] },
  { jsonrpc: "2.0", method: "notifications/cancelled", params: "all" },
  { jsonrpc: "1.0", method: "notifications/progress" },
  { method: "notifications/anything" },
  { jsonrpc: "2.0", method: "notifications/anything", result: {} },
];

const unreadable = [
  "{",
  "7",
  '{"jsonrpc":"2.0","id":null,"method":"ping"}',
  '{"jsonrpc":"2.0","id":1.5,"method":"ping"}',
  '{"jsonrpc":"2.0","id":[],"method":"ping"}',
];

describe("a malformed notification", () => {
  it.each(malformedNotifications)("gets no answer on a pipe: %j", async (notification) => {
    const reports: unknown[] = [];
    const client = openRaw(make(reports));
    await client.initialize();
    const before = client.heard.length;
    client.say(notification);
    await client.ask("ping");
    expect(client.heard).toHaveLength(before + 1);
    expect(reports).toHaveLength(1);
  });

  it("gets no answer in a batch", async () => {
    const client = openRaw(make());
    await client.initialize("2025-03-26");
    client.say([...malformedNotifications, { jsonrpc: "2.0", id: 9, method: "ping" }]);
    const answer = await client.until((message) => Array.isArray(message));
    expect(answer).toEqual([{ jsonrpc: "2.0", id: 9, result: {} }]);
  });
});

describe("a message whose id can't be read", () => {
  it.each([
    ["2024-11-05", true],
    ["2025-03-26", true],
    ["2025-06-18", true],
    ["2025-11-25", false],
  ] as const)("is answered on a pipe of %s as the revision has it", async (revision, hasNull) => {
    for (const text of unreadable) {
      const client = openRaw(make());
      await client.initialize(revision);
      client.say(text);
      const { error, ...rest } = await client.until((message) => "error" in message);
      expect(rest, text).toEqual({ jsonrpc: "2.0", ...(hasNull && { id: null }) });
      expect(error).toMatchObject({ code: text === "{" ? -32700 : -32600 });
    }
  });

  it("is answered without an id on a pipe of the newest revision", async () => {
    const client = openRaw(make());
    await client.ask("server/discover", alone());
    client.say("{");
    expect(await client.until((message) => "error" in message)).not.toHaveProperty("id");
  });

  it.each([
    [undefined, true],
    ["2025-03-26", true],
    ["2025-06-18", true],
    ["2025-11-25", false],
    ["2026-07-28", false],
    ["1999-01-01", false],
  ] as const)(
    "is answered over HTTP as the revision has it, where the header says %s",
    async (version, hasNull) => {
      const handler = createFetchHandler(make());
      const headers = {
        "content-type": "application/json",
        ...(version !== undefined && { "mcp-protocol-version": version }),
      };
      const notifications = malformedNotifications.map((each) => JSON.stringify(each));
      for (const body of [...unreadable, ...notifications]) {
        const answer = await handler(new Request("http://localhost/mcp", { method: "POST", headers, body }));
        expect(answer.status).toBe(400);
        const { error, ...rest } = (await answer.json()) as { error: unknown };
        const isNull = hasNull && !notifications.includes(body);
        expect(rest, body).toEqual({ jsonrpc: "2.0", ...(isNull && { id: null }) });
        expect(error).toMatchObject({ message: expect.any(String) });
      }
      await handler.close(0);
    },
  );
});
