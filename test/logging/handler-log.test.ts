import { type Context, createServer } from "allspeak";
import { describe, expect, it } from "vitest";
import { alone, openRaw, type RawClient, type Wire } from "../support/raw-client.ts";
import { inSession, runHandler, sentBy } from "../support/run-handler.ts";

describe("log messages", () => {
  const say = async (ctx: Context) => {
    await ctx.log("debug", "d");
    await ctx.log("info", { i: 1 }, "mine");
    await ctx.log("error", "e");
  };
  const levels = (client: RawClient) =>
    sentBy(client, "notifications/message").map(({ params }) => (params as Wire).level);

  it("pass from info on until a session sets a level", async () => {
    const { client } = await runHandler(inSession("2025-11-25"), say);
    expect(levels(client)).toEqual(["info", "error"]);
    expect(sentBy(client, "notifications/message")[0]).toMatchObject({
      params: { data: { i: 1 }, logger: "mine" },
    });
  });

  it("are refused with a logger that is not a string", async () => {
    let thrown: unknown;
    const { client } = await runHandler(inSession("2025-11-25"), async (ctx) => {
      thrown = await ctx.log("info", "i", { logger: "mine" } as never).catch((error: unknown) => error);
    });
    expect(thrown).toMatchObject({ code: "usage", message: expect.stringContaining("takes a string") });
    expect(levels(client)).toEqual([]);
  });

  it("pass from the level on that the session sets", async () => {
    const set = (level: string) => async (client: RawClient) => {
      await client.initialize("2025-03-26");
      expect(await client.result("logging/setLevel", { level })).toEqual({});
      return {};
    };
    expect(levels((await runHandler(set("debug"), say)).client)).toEqual(["debug", "info", "error"]);
    expect(levels((await runHandler(set("error"), say)).client)).toEqual(["error"]);
  });

  it("pass only for requests that ask for a level where each request speaks for itself", async () => {
    expect(levels((await runHandler(async () => alone(), say)).client)).toEqual([]);
    const asking = async () => alone({ _meta: { "io.modelcontextprotocol/logLevel": "info" } });
    expect(levels((await runHandler(asking, say)).client)).toEqual(["info", "error"]);
  });

  it("levels that don't exist are refused", async () => {
    const client = openRaw(createServer({ name: "s", version: "1" }));
    await client.initialize();
    await expect(client.result("logging/setLevel", { level: "loud" })).rejects.toMatchObject({
      code: -32602,
    });
  });
});
