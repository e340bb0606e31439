import type { Context } from "allspeak";
import { describe, expect, it } from "vitest";
import { inSession, runHandler, sentBy } from "../support/run-handler.ts";

describe("progress", () => {
  const report = async (ctx: Context) => {
    await ctx.progress(1, 4, "one");
    await ctx.progress(1);
    await ctx.progress(0.5);
    await ctx.progress(3);
  };

  it("goes to a caller that asked for it, as long as it grows", async () => {
    const { client } = await runHandler(
      inSession("2025-11-25", {}, { _meta: { progressToken: "p" } }),
      report,
    );
    expect(sentBy(client, "notifications/progress").map(({ params }) => params)).toEqual([
      { progressToken: "p", progress: 1, total: 4, message: "one" },
      { progressToken: "p", progress: 3 },
    ]);
  });

  it("goes nowhere otherwise", async () => {
    const { client } = await runHandler(inSession("2025-11-25"), report);
    expect(sentBy(client, "notifications/progress")).toEqual([]);
  });
});
