import { expect, onTestFinished, test } from "vitest";
import { connect } from "../../src/client.ts";
import { createServer, type LogEntry, tool } from "../../src/index.ts";
import { serveHttp } from "../../src/node.ts";

const form = { type: "object", properties: { name: { type: "string" } } } as const;

test.each(["in memory", "over HTTP"])(
  "a handler that fails because the client could not answer is in the server's log, with the cause, %s",
  async (where) => {
    const entries: LogEntry[] = [];
    const ask = tool("ask", {}, async (_, ctx) => {
      await ctx.elicit("name", "Who?", form);
      return "not reached";
    });
    const log = (entry: LogEntry) => void entries.push(entry);
    const server = createServer({ name: "asking", version: "1", tools: [ask], log });
    const running = await serveHttp(server);
    onTestFinished(() => running.close(0));
    const client = await connect(where === "in memory" ? server : running.url, {
      revisions: ["2025-11-25"],
      elicit: () => {
        throw new Error("no screen");
      },
      onProblem: () => {},
    });
    onTestFinished(() => client.close());

    const call = client.tools.call("ask");
    await expect(call).rejects.toThrow("The client could not answer elicitation/create.");
    expect(entries).toHaveLength(1);
    expect(entries[0]?.cause).toMatchObject({ message: "The client could not answer elicitation/create." });
  },
);
