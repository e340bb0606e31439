import type { Context } from "allspeak";
import { describe, expect, it } from "vitest";
import { alone } from "../support/raw-client.ts";
import { inSession, runHandler } from "../support/run-handler.ts";

describe("the caller", () => {
  it("is described by what it said", async () => {
    const seen = async (ctx: Context) => ({
      name: ctx.client.info?.name,
      revision: ctx.revision,
      session: typeof ctx.session?.id,
      meta: ctx.meta.own,
      principal: ctx.principal,
    });
    const known = await runHandler(inSession("2025-06-18", {}, { _meta: { own: 1 } }), seen);
    expect(known.outcome).toEqual({
      name: "raw",
      revision: "2025-06-18",
      session: "string",
      meta: 1,
      principal: undefined,
    });
    const byItself = await runHandler(async () => alone({ _meta: { own: 2 } }), seen);
    expect(byItself.outcome).toMatchObject({ revision: "2026-07-28", session: "undefined", meta: 2 });
  });
});
