import { type Context, createServer } from "allspeak";
import { describe, expect, it } from "vitest";
import { alone, openRaw, type RawClient, type Wire } from "../support/raw-client.ts";

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

describe("log messages", () => {
  const say = async (ctx: Context) => {
    await ctx.log("debug", "d");
    await ctx.log("info", { i: 1 }, "mine");
    await ctx.log("error", "e");
  };
  const levels = (client: RawClient) =>
    methods(client, "notifications/message").map(({ params }) => (params as Wire).level);

  it("pass from info on until a session sets a level", async () => {
    const { client } = await within(session("2025-11-25"), say);
    expect(levels(client)).toEqual(["info", "error"]);
    expect(methods(client, "notifications/message")[0]).toMatchObject({
      params: { data: { i: 1 }, logger: "mine" },
    });
  });

  it("pass from the level on that the session sets", async () => {
    const set = (level: string) => async (client: RawClient) => {
      await client.initialize("2025-03-26");
      expect(await client.result("logging/setLevel", { level })).toEqual({});
      return {};
    };
    expect(levels((await within(set("debug"), say)).client)).toEqual(["debug", "info", "error"]);
    expect(levels((await within(set("error"), say)).client)).toEqual(["error"]);
  });

  it("pass only for requests that ask for a level where each request speaks for itself", async () => {
    expect(levels((await within(async () => alone(), say)).client)).toEqual([]);
    const asking = async () => alone({ _meta: { "io.modelcontextprotocol/logLevel": "info" } });
    expect(levels((await within(asking, say)).client)).toEqual(["info", "error"]);
  });

  it("levels that don't exist are refused", async () => {
    const client = openRaw(createServer({ name: "s", version: "1" }));
    await client.initialize();
    await expect(client.result("logging/setLevel", { level: "loud" })).rejects.toMatchObject({
      code: -32602,
    });
  });
});
