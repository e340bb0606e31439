import { type Context, createServer } from "allspeak";
import { describe, expect, it } from "vitest";
import { openRaw, type Wire } from "../support/raw-client.ts";
import { answering, inSession, runHandler } from "../support/run-handler.ts";

describe("sampling and roots", () => {
  const messages = [{ role: "user", content: { type: "text", text: "Hi" } }] as const;

  it("give the model's message and its text", async () => {
    const answer = { role: "assistant", model: "m", content: { type: "text", text: "Hello" } };
    const open = answering("2024-11-05", { sampling: {} }, () => answer);
    const { outcome } = await runHandler(open, (ctx) => ctx.sample("k", { messages, maxTokens: 10 }));
    expect(outcome).toEqual({ ...answer, text: "Hello" });
  });

  it("with tools need a client that declares them", async () => {
    const { outcome } = await runHandler(inSession("2025-11-25", { sampling: {} }), (ctx) =>
      ctx.sample("k", { messages, maxTokens: 10, tools: [] }),
    );
    expect(outcome).toMatchObject({ capability: "sampling.tools" });
  });

  const toolUse = { type: "tool_use", id: "a", name: "add", input: {} } as const;
  const toolResult = { type: "tool_result", toolUseId: "a", content: [] } as const;
  const withTools = { sampling: { tools: {} } };
  const answer = { role: "assistant", model: "m", content: { type: "text", text: "Hello" } };

  it.each([
    [
      "mixed tool results",
      [
        { role: "assistant", content: toolUse },
        { role: "user", content: [toolResult, messages[0].content] },
      ],
    ],
    ["a tool use without its result", [{ role: "assistant", content: toolUse }]],
  ] as const)("refuse %s before anything is sent", async (_, conversation) => {
    const { outcome, client } = await runHandler(inSession("2025-11-25", withTools), (ctx) =>
      ctx.sample("k", { messages: conversation, maxTokens: 10 }),
    );
    expect(outcome).toMatchObject({ code: "usage", message: expect.stringMatching(/tool results?/i) });
    expect(client.heard.filter(({ method }) => method === "sampling/createMessage")).toEqual([]);
  });

  it("tell of the use of tools only to a client and a revision that have them", async () => {
    const conversation = [
      { role: "assistant", content: toolUse },
      { role: "user", content: toolResult },
    ] as const;
    const ask = (ctx: Context) => ctx.sample("k", { messages: conversation, maxTokens: 10 });
    expect((await runHandler(inSession("2025-06-18", { sampling: {} }), ask)).outcome).toMatchObject({
      code: "not-in-revision",
    });
    expect((await runHandler(inSession("2025-11-25", { sampling: {} }), ask)).outcome).toMatchObject({
      capability: "sampling.tools",
    });
  });

  it.each([
    ["2025-11-25", { sampling: {} }, undefined],
    ["2025-11-25", { sampling: { context: {} } }, "thisServer"],
    ["2025-06-18", { sampling: {} }, "thisServer"],
  ])("in %s send the wish for context with %j as %s", async (revision, capabilities, expected) => {
    const asked: Wire[] = [];
    const open = answering(revision, capabilities, ({ params }) => {
      asked.push(params as Wire);
      return answer;
    });
    await runHandler(open, (ctx) =>
      ctx.sample("k", { messages, maxTokens: 10, includeContext: "thisServer" }),
    );
    expect(asked.map(({ includeContext }) => includeContext)).toEqual([expected]);
  });

  it("skip roots that can't be used", async () => {
    const open = answering("2025-06-18", { roots: {} }, () => ({
      roots: [{ uri: "file:///a", name: "a" }, { name: "no uri" }, 5],
    }));
    const { outcome } = await runHandler(open, (ctx) => ctx.roots());
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
