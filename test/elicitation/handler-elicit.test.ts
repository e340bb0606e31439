import {
  CapabilityError,
  type Context,
  createServer,
  InvalidResponseError,
  NotInRevisionError,
} from "allspeak";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { alone, openRaw } from "../support/raw-client.ts";
import { answering, inSession, runHandler, sentBy } from "../support/run-handler.ts";

describe("eliciting", () => {
  const form = z.object({ name: z.string(), age: z.number().optional() });
  const ask = (ctx: Context) => ctx.elicit("who", "Who are you?", form);

  it("sends a flat form and gives typed content", async () => {
    const open = answering("2025-11-25", { elicitation: {} }, () => ({
      action: "accept",
      content: { name: "Ann" },
    }));
    const { client, outcome } = await runHandler(open, ask);
    expect(outcome).toEqual({ action: "accept", content: { name: "Ann" } });
    expect(sentBy(client, "elicitation/create")).toMatchObject([
      {
        params: {
          mode: "form",
          message: "Who are you?",
          requestedSchema: { type: "object", required: ["name"] },
        },
      },
    ]);
  });

  it("leaves the mode out for the revision that has only one", async () => {
    const open = answering("2025-06-18", { elicitation: {} }, () => ({ action: "decline" }));
    const { client, outcome } = await runHandler(open, ask);
    expect(outcome).toEqual({ action: "decline" });
    expect(sentBy(client, "elicitation/create")[0]?.params).not.toHaveProperty("mode");
  });

  it("does not take an answer that does not fit", async () => {
    const open = answering("2025-11-25", { elicitation: {} }, () => ({
      action: "accept",
      content: { name: 5 },
    }));
    expect((await runHandler(open, ask)).outcome).toBeInstanceOf(InvalidResponseError);
    const rude = answering("2025-11-25", { elicitation: {} }, () => ({ nothing: true }));
    expect((await runHandler(rude, ask)).outcome).toBeInstanceOf(InvalidResponseError);
  });

  it("refuses to ask for what is not flat", async () => {
    const nested = (ctx: Context) => ctx.elicit("k", "m", z.object({ a: z.object({ b: z.string() }) }));
    const { outcome, client } = await runHandler(inSession("2025-11-25", { elicitation: {} }), nested);
    expect(outcome).toMatchObject({ message: expect.stringContaining("a") });
    expect(sentBy(client, "elicitation/create")).toEqual([]);
  });

  it("by a URL goes to clients that declare it", async () => {
    const visit = (ctx: Context) => ctx.elicit("pay", "Please pay", { url: "https://pay.example/1" });
    const open = answering("2025-11-25", { elicitation: { url: {} } }, () => ({ action: "accept" }));
    const { client, outcome } = await runHandler(open, visit);
    expect(outcome).toEqual({ action: "accept" });
    expect(sentBy(client, "elicitation/create")).toMatchObject([
      { params: { mode: "url", url: "https://pay.example/1", elicitationId: expect.any(String) } },
    ]);
    const formsOnly = await runHandler(inSession("2025-11-25", { elicitation: { form: {} } }), visit);
    expect(formsOnly.outcome).toMatchObject({ code: "capability-missing", capability: "elicitation.url" });
    const older = await runHandler(inSession("2025-06-18", { elicitation: {} }), visit);
    expect(older.outcome).toBeInstanceOf(NotInRevisionError);
  });

  it("by a form needs a client that does forms", async () => {
    const { outcome } = await runHandler(inSession("2025-11-25", { elicitation: { url: {} } }), ask);
    expect(outcome).toMatchObject({ capability: "elicitation.form" });
  });
});

describe("asking a client that can't be asked", () => {
  it("is a typed error, or the fallback", async () => {
    const bare = inSession("2025-11-25");
    const failing = await runHandler(bare, (ctx) => ctx.roots());
    expect(failing.outcome).toBeInstanceOf(CapabilityError);
    const resting = await runHandler(bare, (ctx) => ctx.roots({ fallback: [] }));
    expect(resting.outcome).toEqual([]);
    const tooOld = await runHandler(inSession("2025-03-26", { elicitation: {} }), (ctx) =>
      ctx.elicit("k", "m", z.object({}), { fallback: { action: "cancel" } }),
    );
    expect(tooOld.outcome).toEqual({ action: "cancel" });
  });

  it("that its handler did not catch is told to the model, or to the client where there is a code for it", async () => {
    const server = createServer({ name: "s", version: "1", log: () => {} });
    server.tool("t", {}, async (_, ctx) => (await ctx.sample("k", { messages: [], maxTokens: 1 })).text);
    const client = openRaw(server);
    await client.initialize();
    expect(await client.result("tools/call", { name: "t" })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('"sampling"') }],
    });
    await expect(client.result("tools/call", alone({ name: "t" }))).rejects.toMatchObject({ code: -32021 });
  });
});
