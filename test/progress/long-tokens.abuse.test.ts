import { createServer } from "allspeak";
import { describe, expect, it } from "vitest";
import { entries, open } from "../support/http/entries.ts";
import { callNewest } from "../support/http/stateless-request.ts";

describe.each(entries)("a progress token, $name", (entry) => {
  const serve = async () => {
    const server = createServer({ name: "s", version: "1" });
    server.tool("steps", {}, async (_, ctx) => {
      for (let step = 1; step <= 100; step++) await ctx.progress(step);
      return "done";
    });
    return open(entry, server);
  };
  const call = async (url: string, progressToken: string) =>
    (await callNewest(url, "steps", {}, { meta: { progressToken } })).text();

  it("of 1,024 characters comes back with each step", async () => {
    const { url } = await serve();
    const token = "t".repeat(1_024);
    expect((await call(url, token)).split(token)).toHaveLength(101);
  });

  it("that is longer is not repeated a hundred times: the call goes on without progress", async () => {
    const { url } = await serve();
    const text = await call(url, "t".repeat(100_000));
    expect(text).toContain("done");
    expect(text.length).toBeLessThan(10_000);
  });
});
