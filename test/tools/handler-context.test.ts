import {
  CapabilityError,
  type Context,
  createServer,
  InvalidResponseError,
  NotInRevisionError,
} from "allspeak";
import { describe, expect, it } from "vitest";
import { z } from "zod";
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

const answering =
  (revision: string, capabilities: Wire, answer: (message: Wire) => unknown) => async (client: RawClient) => {
    await client.initialize(revision, capabilities);
    client.onRequest = answer;
    return {};
  };

const methods = (client: RawClient, method: string) =>
  client.heard.filter((message) => message.method === method);

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

describe("eliciting", () => {
  const form = z.object({ name: z.string(), age: z.number().optional() });
  const ask = (ctx: Context) => ctx.elicit("who", "Who are you?", form);

  it("sends a flat form and gives typed content", async () => {
    const open = answering("2025-11-25", { elicitation: {} }, () => ({
      action: "accept",
      content: { name: "Ann" },
    }));
    const { client, outcome } = await within(open, ask);
    expect(outcome).toEqual({ action: "accept", content: { name: "Ann" } });
    expect(methods(client, "elicitation/create")).toMatchObject([
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
    const { client, outcome } = await within(open, ask);
    expect(outcome).toEqual({ action: "decline" });
    expect(methods(client, "elicitation/create")[0]?.params).not.toHaveProperty("mode");
  });

  it("does not take an answer that does not fit", async () => {
    const open = answering("2025-11-25", { elicitation: {} }, () => ({
      action: "accept",
      content: { name: 5 },
    }));
    expect((await within(open, ask)).outcome).toBeInstanceOf(InvalidResponseError);
    const rude = answering("2025-11-25", { elicitation: {} }, () => ({ nothing: true }));
    expect((await within(rude, ask)).outcome).toBeInstanceOf(InvalidResponseError);
  });

  it("refuses to ask for what is not flat", async () => {
    const nested = (ctx: Context) => ctx.elicit("k", "m", z.object({ a: z.object({ b: z.string() }) }));
    const { outcome, client } = await within(session("2025-11-25", { elicitation: {} }), nested);
    expect(outcome).toMatchObject({ message: expect.stringContaining("a") });
    expect(methods(client, "elicitation/create")).toEqual([]);
  });

  it("by a URL goes to clients that declare it", async () => {
    const visit = (ctx: Context) => ctx.elicit("pay", "Please pay", { url: "https://pay.example/1" });
    const open = answering("2025-11-25", { elicitation: { url: {} } }, () => ({ action: "accept" }));
    const { client, outcome } = await within(open, visit);
    expect(outcome).toEqual({ action: "accept" });
    expect(methods(client, "elicitation/create")).toMatchObject([
      { params: { mode: "url", url: "https://pay.example/1", elicitationId: expect.any(String) } },
    ]);
    const formsOnly = await within(session("2025-11-25", { elicitation: { form: {} } }), visit);
    expect(formsOnly.outcome).toMatchObject({ code: "capability-missing", capability: "elicitation.url" });
    const older = await within(session("2025-06-18", { elicitation: {} }), visit);
    expect(older.outcome).toBeInstanceOf(NotInRevisionError);
  });

  it("by a form needs a client that does forms", async () => {
    const { outcome } = await within(session("2025-11-25", { elicitation: { url: {} } }), ask);
    expect(outcome).toMatchObject({ capability: "elicitation.form" });
  });
});

describe("asking a client that can't be asked", () => {
  it("is a typed error, or the fallback", async () => {
    const bare = session("2025-11-25");
    const failing = await within(bare, (ctx) => ctx.roots());
    expect(failing.outcome).toBeInstanceOf(CapabilityError);
    const resting = await within(bare, (ctx) => ctx.roots({ fallback: [] }));
    expect(resting.outcome).toEqual([]);
    const tooOld = await within(session("2025-03-26", { elicitation: {} }), (ctx) =>
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

describe("sampling and roots", () => {
  const messages = [{ role: "user", content: { type: "text", text: "Hi" } }] as const;

  it("give the model's message and its text", async () => {
    const answer = { role: "assistant", model: "m", content: { type: "text", text: "Hello" } };
    const open = answering("2024-11-05", { sampling: {} }, () => answer);
    const { outcome } = await within(open, (ctx) => ctx.sample("k", { messages, maxTokens: 10 }));
    expect(outcome).toEqual({ ...answer, text: "Hello" });
  });

  it("with tools need a client that declares them", async () => {
    const { outcome } = await within(session("2025-11-25", { sampling: {} }), (ctx) =>
      ctx.sample("k", { messages, maxTokens: 10, tools: [] }),
    );
    expect(outcome).toMatchObject({ capability: "sampling.tools" });
  });

  it("skip roots that can't be used", async () => {
    const open = answering("2025-06-18", { roots: {} }, () => ({
      roots: [{ uri: "file:///a", name: "a" }, { name: "no uri" }, 5],
    }));
    const { outcome } = await within(open, (ctx) => ctx.roots());
    expect(outcome).toEqual([{ uri: "file:///a", name: "a" }]);
  });

  it("are cancelled with the call that asks", async () => {
    const server = createServer({ name: "s", version: "1", log: () => {} });
    server.tool("t", {}, async (_, ctx) => String(await ctx.roots()));
    const client = openRaw(server);
    await client.initialize("2025-11-25", { roots: {} });
    void client.ask("tools/call", { name: "t" }, "call");
    const asked = await client.until(({ method }) => method === "roots/list");
    client.notify("notifications/cancelled", { requestId: "call" });
    expect(await client.until(({ method }) => method === "notifications/cancelled")).toMatchObject({
      params: { requestId: asked.id },
    });
  });
});
