import { createServer, tool } from "allspeak";
import { describe, expect, it } from "vitest";
import { entries, open } from "../support/http/entries.ts";
import { openSession } from "../support/http/raw-session.ts";

const lines = 3000;

/** Logs without waiting, as careless handlers do. */
const careless = tool("careless", {}, (_, ctx) => {
  for (let line = 0; line < lines; line++) void ctx.log("info", line);
  return "done";
});

describe.each(entries)("$name", (entry) => {
  it("delivers the answer of a handler that said much without waiting", async () => {
    const server = createServer({ name: "careless", version: "1", tools: [careless] });
    const { url } = await open(entry, server);
    const session = await openSession(url, "2025-06-18");
    const messages = await (await session.call("careless")).events().messages<{ id?: number }>();
    expect(messages.at(-1)).toMatchObject({ id: 1, result: { content: [{ text: "done" }] } });
    expect(messages).toHaveLength(lines + 1);
  });
});
