import { createServer } from "allspeak";
import { connect } from "allspeak/client";
import { serveHttp } from "allspeak/node";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";

/** A `fetch` whose answers to the client's own responses stay under way until they are aborted. */
const slowForResponses: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  if (typeof init?.body !== "string" || "method" in JSON.parse(init.body)) return response;
  const { signal } = init;
  return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
};

test.each(["2025-06-18", "2025-11-25", "2026-07-28"] as const)(
  "a close after an elicitation in %s reports nothing, however late the server confirms the answer",
  async (revision) => {
    const logged: unknown[] = [];
    const server = createServer({ name: "asks", version: "1", log: (entry) => logged.push(entry) });
    server.tool("ask", {}, async (_, ctx) => {
      const { action } = await ctx.elicit("q", "Who?", z.object({ name: z.string() }));
      return action;
    });
    const running = await serveHttp(server);
    onTestFinished(() => running.close());
    const problems: Error[] = [];
    for (let time = 0; time < 30; time++) {
      const client = await connect(running.url, {
        revisions: [revision],
        fetch: slowForResponses,
        elicit: () => ({ action: "accept", content: { name: "Ann" } }),
        onProblem: (problem) => problems.push(problem),
      });
      expect((await client.tools.call("ask")).content).toEqual([{ type: "text", text: "accept" }]);
      await client.close();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(problems).toEqual([]);
    expect(logged).toEqual([]);
  },
);
