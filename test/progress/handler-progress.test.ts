import { type Context, createServer } from "allspeak";
import { describe, expect, it } from "vitest";
import { openRaw, type RawClient, type Wire } from "../support/raw-client.ts";

/** Runs a handler for one call, and gives what it returned or threw. */
async function within<T>(
  open: (client: RawClient) => Promise<Wire>,
  handler: (ctx: Context) => Promise<T>,
): Promise<{ client: RawClient; outcome: T | Error }> {
  let outcome: T | Error = new Error("the handler did not run");
  const server = createServer({ name: "s", version: "1", log: () => {} });
  server.tool("t", {}, async (_, ctx) => {
    outcome = await handler(ctx).catch((error: Error) => error);
    return "done";
  });
  const client = openRaw(server);
  const params = await open(client);
  await client.result("tools/call", { name: "t", ...params });
  return { client, outcome };
}

const session =
  (revision: string, capabilities: Wire = {}, params: Wire = {}) =>
  async (client: RawClient) => {
    await client.initialize(revision, capabilities);
    return params;
  };

const methods = (client: RawClient, method: string) =>
  client.heard.filter((message) => message.method === method);

describe("progress", () => {
  const report = async (ctx: Context) => {
    await ctx.progress(1, 4, "one");
    await ctx.progress(1);
    await ctx.progress(0.5);
    await ctx.progress(3);
  };

  it("goes to a caller that asked for it, as long as it grows", async () => {
    const { client } = await within(session("2025-11-25", {}, { _meta: { progressToken: "p" } }), report);
    expect(methods(client, "notifications/progress").map(({ params }) => params)).toEqual([
      { progressToken: "p", progress: 1, total: 4, message: "one" },
      { progressToken: "p", progress: 3 },
    ]);
  });

  it("goes nowhere otherwise", async () => {
    const { client } = await within(session("2025-11-25"), report);
    expect(methods(client, "notifications/progress")).toEqual([]);
  });
});
