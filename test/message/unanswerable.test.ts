import { createServer } from "allspeak";
import { createFetchHandler } from "allspeak/http";
import { describe, expect, it } from "vitest";
import { failure, openClient } from "../support/open-client.ts";
import { alone, openRaw } from "../support/raw-client.ts";
import { handshakeServer, silence } from "../support/scripted-server.ts";

const form = { type: "object", properties: {} } as const;

const make = (reports: unknown[] = []) =>
  createServer({ name: "s", version: "1", log: (report) => void reports.push(report) });

const malformedNotifications = [
  { jsonrpc: "2.0", method: "notifications/initialized", params: [1] },
  { jsonrpc: "2.0", method: "notifications/cancelled", params: "all" },
  { jsonrpc: "1.0", method: "notifications/progress" },
  { method: "notifications/anything" },
  { jsonrpc: "2.0", method: "notifications/anything", result: {} },
];

const malformedResponses = [
  { jsonrpc: "2.0", id: 1, result: "yes" },
  { jsonrpc: "2.0", id: 1, error: "no" },
  { jsonrpc: "2.0", id: 1, error: null },
  { jsonrpc: "2.0", result: "yes" },
  { id: 1, result: {} },
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

describe("a malformed response", () => {
  it.each(malformedResponses)(
    "gets no answer on a pipe, which could be taken for that to a request of the same id: %j",
    async (response) => {
      const reports: unknown[] = [];
      const client = openRaw(make(reports));
      await client.initialize();
      const before = client.heard.length;
      client.say(response);
      await client.ask("ping");
      expect(client.heard).toHaveLength(before + 1);
      expect(reports).toHaveLength(1);
    },
  );

  it.each(malformedResponses.filter(({ id }) => id !== undefined))(
    "fails the request that it was meant for: %j",
    async (response) => {
      const server = make();
      server.tool("ask", {}, async (_, ctx) => {
        const { code } = await ctx.elicit("Sure?", form).catch((error) => error);
        return String(code);
      });
      const client = openRaw(server);
      await client.initialize("2025-11-25", { elicitation: {} });
      const called = client.result("tools/call", { name: "ask" });
      const { id } = await client.until(({ method }) => method === "elicitation/create");
      client.say({ ...response, id });
      expect(await called).toMatchObject({ content: [{ text: "invalid-response" }] });
    },
  );

  it.each(malformedResponses.filter(({ id }) => id !== undefined))(
    "of a server fails the call that it was meant for: %j",
    async (response) => {
      const server = handshakeServer("2025-11-25", {
        script: {
          "tools/call": (_, line, { id }) => {
            line.send(JSON.stringify({ ...response, id }));
            return silence;
          },
        },
      });
      const client = await openClient(server);
      expect(await failure(client.tools.call("a"))).toMatchObject({ code: "invalid-response" });
    },
  );

  it.each(malformedResponses)("is refused over HTTP without an id: %j", async (response) => {
    const handler = createFetchHandler(make());
    const headers = { "content-type": "application/json", "mcp-protocol-version": "2025-06-18" };
    const body = JSON.stringify(response);
    const answer = await handler(new Request("http://localhost/mcp", { method: "POST", headers, body }));
    expect(answer.status).toBe(400);
    expect(await answer.json()).not.toHaveProperty("id");
    await handler.close(0);
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
