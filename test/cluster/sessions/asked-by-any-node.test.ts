import { randomBytes } from "node:crypto";
import { createServer, tool } from "allspeak";
import { serveHttp } from "allspeak/node";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { openSession, RawSession } from "../../support/http/raw-session.ts";
import { askNewest } from "../../support/http/stateless-request.ts";
import { Queue } from "../../support/queue.ts";
import { sharedMemory } from "../../support/shared-state.ts";

const secrets = [randomBytes(32).toString("base64")];

/** Two nodes of a server that asks for everything that a client can be asked for. */
async function openNodes() {
  const state = sharedMemory();
  const progress = new Queue<unknown>();
  const sample = tool("sample", {}, async (_, ctx) => {
    const messages = [{ role: "user", content: { type: "text", text: "Hello?" } }] as const;
    return (await ctx.sample("hello", { messages: [...messages], maxTokens: 5 })).text;
  });
  const roots = tool("roots", {}, async (_, ctx) => JSON.stringify(await ctx.roots()));
  const slow = tool("slow", {}, async (_, ctx) => {
    const answer = await ctx.request("acme/slow", {}, { onProgress: (report) => progress.push(report) });
    return JSON.stringify(answer);
  });
  const ticket = tool("ticket", { singleUse: true }, async (_, ctx) => {
    const { content } = await ctx.elicit("name", "For whom?", z.object({ name: z.string() }));
    return `for ${content?.name}`;
  });
  const open = async () => {
    const tools = [sample, roots, slow, ticket];
    const server = createServer({ name: "asks", version: "1", secrets, tools, log: () => {} });
    const running = await serveHttp(server, { state });
    onTestFinished(() => running.close(0));
    return running.url;
  };
  return { a: await open(), b: await open(), progress };
}

interface Asked {
  readonly id: string;
  readonly method: string;
  readonly params: { readonly _meta: { readonly progressToken: string } };
}

const revision = "2025-11-25";
const capabilities = { sampling: {}, roots: {} };

const questions = [
  {
    name: "sample",
    method: "sampling/createMessage",
    answer: { role: "assistant", model: "m", content: { type: "text", text: "Hi." } },
    result: "Hi.",
  },
  {
    name: "roots",
    method: "roots/list",
    answer: { roots: [{ uri: "file:///home" }] },
    result: JSON.stringify([{ uri: "file:///home" }]),
  },
];

describe("a client whose messages come to another node than the one that asks", () => {
  it.each(questions)("answers $method", async ({ name, method, answer, result }) => {
    const { a, b } = await openNodes();
    const session = await openSession(a, revision, { capabilities });
    const events = (await session.call(name)).events();
    const asked = await events.message<Asked>();
    expect(asked?.method).toBe(method);
    await new RawSession(b, session.id, revision).answer(asked?.id, answer);
    expect(await events.message()).toMatchObject({ result: { content: [{ text: result }] } });
  });

  it("reports progress with what it was asked, in order, and answers", async () => {
    const { a, b, progress } = await openNodes();
    const session = await openSession(a, revision);
    const events = (await session.call("slow")).events();
    const asked = await events.message<Asked>();
    const other = new RawSession(b, session.id, revision);
    const { progressToken } = asked?.params._meta ?? {};
    for (const step of [1, 2])
      await other.notify("notifications/progress", { progressToken, progress: step, total: 2 });
    expect(await progress.take(2)).toMatchObject([{ progress: 1 }, { progress: 2 }]);
    await other.answer(asked?.id, { done: true });
    expect(await events.message()).toMatchObject({ result: { content: [{ text: '{"done":true}' }] } });
  });
});

it("a state that may be used once is refused at every node after one has taken it", async () => {
  const { a, b } = await openNodes();
  const call = async (url: string, answers: object = {}) => {
    const params = { name: "ticket", arguments: {}, ...answers };
    return (await askNewest(url, "tools/call", params, { capabilities: { elicitation: {} } })).result();
  };
  const { requestState } = (await call(a)).result;
  const inputResponses = { name: { action: "accept", content: { name: "Ada" } } };
  const taken = await call(b, { requestState, inputResponses });
  expect(taken.result.content).toMatchObject([{ text: "for Ada" }]);
  for (const url of [a, b])
    expect((await call(url, { requestState, inputResponses })).error).toMatchObject({
      code: -32602,
      message: expect.stringContaining("has been used before"),
    });
});
