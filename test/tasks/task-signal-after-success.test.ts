import { createServer, tool } from "allspeak";
import { connect } from "allspeak/client";
import { expect, it } from "vitest";

it.each(["2025-11-25", "2026-07-28"] as const)(
  "%s: the signal of a task that has succeeded is not aborted as cancelled",
  async (revision) => {
    const reasons: unknown[] = [];
    const server = createServer({
      name: "s",
      version: "1",
      tools: [
        tool("work", { task: "optional", pollIntervalMs: 50 }, (_, ctx) => {
          ctx.signal.addEventListener("abort", () => reasons.push(String(ctx.signal.reason)));
          return "done";
        }),
      ],
    });
    await using client = await connect(server, { tasks: true, revisions: [revision] });
    const result = await client.tools.call("work", {}, { task: true });
    expect(result.content).toEqual([{ type: "text", text: "done" }]);
    expect(reasons.filter((reason) => String(reason).includes("cancelled"))).toEqual([]);
  },
);
