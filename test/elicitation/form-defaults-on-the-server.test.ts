import { createServer } from "allspeak";
import { expect, onTestFinished, test } from "vitest";
import { openRaw } from "../support/raw-client.ts";

const form = {
  type: "object",
  properties: { word: { type: "string" }, count: { type: "integer", default: 7 } },
  required: ["word", "count"],
} as const;

test("a form of JSON Schema has its defaults, even if the client leaves them to the server", async () => {
  const server = createServer({ name: "asks", version: "1" });
  server.tool("ask", { description: "Asks" }, async (_args, ctx) =>
    JSON.stringify(await ctx.elicit("form", "Which?", form)),
  );
  const raw = openRaw(server);
  onTestFinished(() => raw.close());
  raw.onRequest = () => ({ action: "accept", content: { word: "some" } });
  await raw.initialize("2025-11-25", { elicitation: {} });
  const { content } = await raw.result("tools/call", { name: "ask" });
  expect(content).toEqual([
    { type: "text", text: '{"action":"accept","content":{"word":"some","count":7}}' },
  ]);
});
