import { createServer, tool } from "allspeak";
import type { ConnectOptions } from "allspeak/client";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { openClient } from "../support/open-client.ts";

const asks = tool("asks", {}, async (_, ctx) => {
  const person = z.object({ name: z.string() });
  const { content } = await ctx.elicit("who", "Who?", person, { task: true });
  const messages = [{ role: "user", content: { type: "text", text: "A word" } }] as const;
  const { text } = await ctx.sample("word", { messages, maxTokens: 5 }, { task: true });
  return `${content?.name} ${text}`;
});
const server = createServer({ name: "asking", version: "1.0.0", tools: [asks] });

async function call(options: ConnectOptions): Promise<{ text: string; asked: string[] }> {
  const asked: string[] = [];
  const client = await openClient(server, {
    elicit: () => ({ action: "accept", content: { name: "Ada" } }),
    sample: () => ({ role: "assistant", content: { type: "text", text: "rain" }, model: "m" }),
    onMessage: (message, direction) => {
      const { method, params } = message as { method?: string; params?: { task?: object } };
      if (direction === "received" && method) asked.push(method + (params?.task ? " as a task" : ""));
    },
    ...options,
  });
  const { content } = await client.tools.call("asks");
  const requests = asked.filter((method) => !method.startsWith("notifications/"));
  return { text: (content[0] as { text: string }).text, asked: requests };
}

describe("a question that is to be a task of the client", () => {
  it("is one where the client takes such, and its answer is fetched", async () => {
    const { text, asked } = await call({ revisions: ["2025-11-25"], tasks: { asks: true } });
    expect(text).toBe("Ada rain");
    expect(asked).toEqual([
      "elicitation/create as a task",
      "tasks/result",
      "sampling/createMessage as a task",
      "tasks/result",
    ]);
  });

  it.each(["2025-06-18", "2025-11-25", "2026-07-28"] as const)(
    "is a plain one of %s to any other client",
    async (revision) => {
      const tasks = { asks: revision !== "2025-11-25" };
      const { text, asked } = await call({ revisions: [revision], tasks });
      expect(text).toBe("Ada rain");
      const live = revision !== "2026-07-28";
      expect(asked).toEqual(live ? ["elicitation/create", "sampling/createMessage"] : []);
    },
  );
});
