import { createServer, InvalidResponseError, type LogEntry } from "allspeak";
import { describe, expect, test } from "vitest";
import { openRaw } from "../support/raw-client.ts";

const form = {
  type: "object",
  properties: { seats: { type: "integer", minimum: 1 } },
  required: ["seats"],
} as const;

const messages = [{ role: "user", content: { type: "text", text: "Hi" } }] as const;

function open() {
  const entries: LogEntry[] = [];
  const server = createServer({ name: "s", version: "1", log: (entry) => void entries.push(entry) });
  server.tool("book", {}, async (_, ctx) => JSON.stringify(await ctx.elicit("seats", "How many?", form)));
  server.tool("note", {}, async (_, ctx) => (await ctx.sample("note", { messages, maxTokens: 9 })).text);
  server.tool("places", {}, async (_, ctx) => JSON.stringify(await ctx.roots()));
  server.tool("elsewhere", {}, async (_, ctx) => {
    await ctx.elicit("seats", "How many?", form).catch(() => {});
    throw new InvalidResponseError("postgres://user:secret@db");
  });
  return { client: openRaw(server), entries };
}

async function answered(tool: string, result: unknown) {
  const { client, entries } = open();
  await client.initialize("2025-11-25", { elicitation: {}, sampling: {}, roots: {} });
  const called = client.result("tools/call", { name: tool });
  const { id } = await client.until((message) => "method" in message && "id" in message);
  client.say({ jsonrpc: "2.0", id, result });
  return { result: await called, entries };
}

describe("an answer of the client that can't be used", () => {
  test.each([
    [
      "book",
      { action: "accept", content: { seats: "2" } },
      'The answer to "seats" does not match its schema:\n- seats:',
    ],
    ["book", { action: "accept" }, 'The answer to "seats" does not match its schema:\n- seats:'],
    ["book", { action: "perhaps" }, 'The client answered "seats" with no action.'],
    ["note", { role: "assistant", content: "Hello" }, 'The client answered "note" with no message.'],
    ["places", { roots: "file:///tmp" }, "The client answered roots/list without roots."],
  ])("is explained to it, and logged: %s, %j", async (tool, answer, words) => {
    const { result, entries } = await answered(tool, answer);
    expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining(words) }] });
    expect(entries).toMatchObject([{ cause: { code: "invalid-response" } }]);
  });

  test("lets no other error of the handler through", async () => {
    const { result } = await answered("elsewhere", { action: "perhaps" });
    expect(result).toMatchObject({
      content: [{ text: expect.stringMatching(/^Internal error \(ref \w+\)$/) }],
    });
  });
});
