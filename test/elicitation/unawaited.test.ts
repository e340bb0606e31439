import { createServer, type LogEntry } from "allspeak";
import { connect } from "allspeak/client";
import { expect, test } from "vitest";

const form = { type: "object", properties: { name: { type: "string" } } } as const;

test.each(["2025-11-25", "2026-07-28"] as const)(
  "a question that the handler does not await is logged, with what to write, in %s",
  async (revision) => {
    const log: LogEntry[] = [];
    const server = createServer({ name: "test", version: "1.0.0", log: (entry) => void log.push(entry) });
    server.tool("hasty", {}, (_, ctx) => {
      void ctx.elicit("What is your name?", form);
      return "done";
    });
    server.tool("patient", {}, async (_, ctx) => {
      const { action } = await ctx.elicit("What is your name?", form);
      return action;
    });
    const elicit = () => ({ action: "decline" }) as const;
    const client = await connect(server, { revisions: [revision], elicit });
    expect(await client.tools.call("patient")).toMatchObject({ content: [{ text: "decline" }] });
    expect(log).toEqual([]);
    expect(await client.tools.call("hasty")).toMatchObject({ content: [{ text: "done" }] });
    expect(log).toMatchObject([
      {
        message: expect.stringContaining(
          'of "hasty" returned while 1 of its questions had no answer; write "await ctx',
        ),
      },
    ]);
    await client.close();
  },
);
