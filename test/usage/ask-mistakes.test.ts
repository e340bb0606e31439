// What a handler can get wrong when it asks, where only JavaScript, or a cast, lets it.
import { type Context, createServer } from "allspeak";
import { connect } from "allspeak/client";
import { describe, expect, test } from "vitest";
import { z } from "zod";

type Loose = Record<"elicit" | "sample", (...given: unknown[]) => Promise<unknown>>;

const schema = z.object({ yes: z.boolean() });
const call = 'ctx.elicit("confirm", "Delete it?", schema)';
const text = { type: "text", text: "Hello" };
const sample = (ctx: Loose, ...messages: unknown[]) => ctx.sample({ messages, maxTokens: 5 });

const mistakes: readonly [what: string, ask: (ctx: Loose) => Promise<unknown>, says: string][] = [
  ["an elicitation in one object", (ctx) => ctx.elicit({ message: "Sure?", schema }), call],
  ["a requestedSchema", (ctx) => ctx.elicit({ message: "Sure?", requestedSchema: {} }), call],
  [
    "a message in an object",
    (ctx) => ctx.elicit("confirm", { message: "Sure?", schema }),
    "as arguments of their own, not in an object",
  ],
  ["no question", (ctx) => ctx.elicit(), "a message and a schema, not undefined"],
  ["a message alone", (ctx) => ctx.elicit("Sure?"), "a schema after the message, or { url }, not undefined"],
  ["a key and a message alone", (ctx) => ctx.elicit("confirm", "Sure?"), "not undefined"],
  ["a function as a schema", (ctx) => ctx.elicit("Sure?", () => schema), "not a function"],
  ["a number as a message", (ctx) => ctx.elicit(5, schema), "a message and a schema, not 5"],
  ["an unknown option", (ctx) => ctx.elicit("Sure?", schema, { fallbak: 1 }), 'did you mean "fallback"?'],
  ["an unknown option of sampling", (ctx) => ctx.sample({ messages: [], maxTokens: 1, modl: 1 }), '"modl"'],
  ["a prompt", (ctx) => ctx.sample("Write a poem"), "ctx.sample takes a request such as"],
  ["a string as a message", (ctx) => sample(ctx, "Hi"), "messages[0] must be { role:"],
  ["an unknown role", (ctx) => sample(ctx, { role: "system", content: text }), "messages[0].role must be"],
  [
    "a string as content",
    (ctx) => sample(ctx, { role: "user", content: text }, { role: "user", content: "Hi" }),
    'messages[1].content must be content such as { type: "text", text: "…" }, not "Hi".',
  ],
  ["no content", (ctx) => sample(ctx, { role: "user" }), "messages[0].content must be content"],
  ["a hole in content", (ctx) => sample(ctx, { role: "user", content: [text, null] }), "not null"],
];

describe.each(["2025-11-25", "2026-07-28"] as const)("in %s", (revision) => {
  test.each(mistakes)("%s is refused in words, and nobody is asked", async (_, ask, says) => {
    const errors: unknown[] = [];
    const asked: unknown[] = [];
    const server = createServer({ name: "test", version: "1.0.0", log: () => {} });
    server.tool("ask", {}, async (_args, ctx: Context) => {
      await ask(ctx as unknown as Loose).catch((error: unknown) => errors.push(error));
      return "";
    });
    const onAsk = (request: unknown) => {
      asked.push(request);
      throw new Error("Nobody is here.");
    };
    await using client = await connect(server, { revisions: [revision], elicit: onAsk, sample: onAsk });
    await client.tools.call("ask", {});
    expect(errors).toEqual([
      expect.objectContaining({ code: "usage", message: expect.stringContaining(says) }),
    ]);
    expect(asked).toEqual([]);
  });
});
