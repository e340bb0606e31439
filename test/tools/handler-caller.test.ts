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

describe("the caller", () => {
  it("is described by what it said", async () => {
    const seen = async (ctx: Context) => ({
      name: ctx.client.info?.name,
      revision: ctx.revision,
      session: typeof ctx.session?.id,
      meta: ctx.meta.own,
      principal: ctx.principal,
    });
    const inSession = await within(session("2025-06-18", {}, { _meta: { own: 1 } }), seen);
    expect(inSession.outcome).toEqual({
      name: "raw",
      revision: "2025-06-18",
      session: "string",
      meta: 1,
      principal: undefined,
    });
    const byItself = await within(async () => alone({ _meta: { own: 2 } }), seen);
    expect(byItself.outcome).toMatchObject({ revision: "2026-07-28", session: "undefined", meta: 2 });
  });
});
