import {
  type Context,
  createServer,
  inputRequired,
  type ServerOptions,
  type ToolOptions,
  tool,
  UrlElicitationRequiredError,
} from "allspeak";
import { memoryState } from "allspeak/http";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { alone, openRaw, type RawClient, type Wire } from "../../support/raw-client.ts";
import { Gate, until, withTasks } from "../fixture.ts";

const name = z.object({ name: z.string() });
const named = (text: string) => ({ action: "accept", content: { name: text } });

/** A server with one tool, and a client of it that only knows JSON-RPC. */
function open(run: (ctx: Context) => unknown, task: Partial<ToolOptions> = {}) {
  const state = memoryState();
  const works = tool("works", { task: "optional", pollIntervalMs: 20, ...task }, async (_, ctx) => run(ctx));
  const options: ServerOptions = { name: "s", version: "1", state, log: () => {}, tools: [works] };
  return { state, client: openRaw(createServer(options)) };
}

async function begin(client: RawClient, called = "works"): Promise<unknown> {
  const { taskId } = await client.result("tools/call", alone({ name: called }, withTasks));
  return taskId;
}

async function beginPlain(client: RawClient, params: Wire = {}): Promise<string> {
  await client.initialize("2025-11-25", { elicitation: { form: {}, url: {} } });
  const { task } = await client.result("tools/call", { name: "works", task: {}, ...params });
  return (task as { taskId: string }).taskId;
}

describe("a task", () => {
  it("keeps all that was done once at the same time", async () => {
    const gate = new Gate();
    const { client, state } = open(async (ctx) => {
      await Promise.all(["a", "b", "c"].map((key) => ctx.once(key, () => key)));
      await gate.pass(ctx.signal);
      return "done";
    });
    const taskId = await begin(client);
    await gate.reached;
    expect(await state.tasks.get(String(taskId))).toMatchObject({
      record: { journal: { onces: { a: { value: "a" }, b: { value: "b" }, c: { value: "c" } } } },
    });
    gate.open();
  });

  it("takes no answer for that to a question of a similar name", async () => {
    const { client } = open(async (ctx) => {
      const answers = await Promise.all(
        ["a", "a~2", "a~0"].map((key) => ctx.elicit(key, `About ${key}?`, name)),
      );
      return answers.map(({ content }) => content?.name).join();
    });
    const taskId = await begin(client);
    const { inputRequests } = await until(client, taskId, "input_required");
    const keys = Object.keys(inputRequests as object);
    const inputResponses = Object.fromEntries(keys.map((key, at) => [key, named(`${at}`)]));
    await client.result("tasks/update", alone({ taskId, inputResponses }, withTasks));
    expect(await until(client, taskId, "completed")).toMatchObject({
      result: { content: [{ text: "0,1,2" }] },
    });
  });

  it("fails, and is not waited for in vain, when what came of it is no JSON", async () => {
    const { client } = open(() => ({ content: [], structuredContent: { amount: 10n } }));
    const task = await until(client, await begin(client), "failed");
    expect(task).toMatchObject({ error: { code: -32603, message: expect.stringContaining("not JSON") } });
  });

  it("asks by hand only for what the client has declared", async () => {
    const ask = { method: "sampling/createMessage", params: { messages: [], maxTokens: 1 } } as const;
    const { client } = open(() => inputRequired({ thought: ask }));
    const { extensions } = withTasks;
    const { taskId } = await client.result("tools/call", alone({ name: "works" }, { extensions }));
    expect(await until(client, taskId, "failed")).toMatchObject({ error: { code: -32021 } });
  });

  it("stops its handler when its time is over, though nobody asks for it any more", async () => {
    const gate = new Gate();
    const { client } = open((ctx) => gate.pass(ctx.signal), { ttlMs: 30 });
    await begin(client);
    const signal = await gate.reached;
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    expect(signal.reason).toMatchObject({ message: "the task has expired" });
  });

  it("is not made of a call that was begun without, so that nothing is done again", async () => {
    let done = 0;
    const { client } = open(async (ctx) => {
      await ctx.once("pay", () => ++done);
      return (await ctx.elicit("who", "Who?", name)).content?.name;
    });
    const first = await client.result("tools/call", alone({ name: "works" }, { elicitation: {} }));
    const { requestState } = first;
    const round = { name: "works", requestState, inputResponses: { who: named("Ada") } };
    const second = await client.result("tools/call", alone(round, withTasks));
    expect(second).toMatchObject({ resultType: "complete", content: [{ text: "Ada" }] });
    expect(done).toBe(1);
  });

  it("is run by the server that it was called of, though another of its name is mounted beside it", async () => {
    const inner = (who: string) =>
      createServer({
        name: "notes",
        version: "1",
        tools: [tool("who", { task: "optional", pollIntervalMs: 20 }, () => who)],
      });
    const host = createServer({ name: "host", version: "1" });
    host.mount("a", inner("a"));
    host.mount("b", inner("b"));
    const client = openRaw(host);
    for (const who of ["a", "b", "a", "b"]) {
      const task = await until(client, await begin(client, `${who}_who`), "completed");
      expect(task).toMatchObject({ result: { content: [{ text: who }] } });
    }
  });
});

describe("a task of 2025-11-25", () => {
  it("asks for a visit under the same id in every run", async () => {
    const { client } = open(async (ctx) => (await ctx.elicit("Pay", { url: "https://pay.example/" })).action);
    client.onRequest = () => ({ action: "accept" });
    const taskId = await beginPlain(client);
    expect(await client.result("tasks/result", { taskId })).toMatchObject({ content: [{ text: "accept" }] });
  });

  it("that needs a visit first ends with the error that the call would have had", async () => {
    const { client } = open(() => {
      throw new UrlElicitationRequiredError([{ message: "Log in", url: "https://login.example/", id: "v" }]);
    });
    const taskId = await beginPlain(client);
    const { error } = await client.ask("tasks/result", { taskId });
    expect(error).toMatchObject({ code: -32042, data: { elicitations: [{ elicitationId: "v" }] } });
  });

  it("asks another who waits when whoever it asked is gone", async () => {
    const { client } = open(async (ctx) => (await ctx.elicit("Who?", name)).content?.name);
    const isQuestion = ({ method }: Wire) => method === "elicitation/create";
    const taskId = await beginPlain(client);
    void client.ask("tasks/result", { taskId }, "first");
    const question = await client.until(isQuestion);
    const second = client.ask("tasks/result", { taskId }, "second");
    await client.settle();
    client.notify("notifications/cancelled", { requestId: "first" });
    const again = await client.until((message) => isQuestion(message) && message.id !== question.id);
    client.say({ jsonrpc: "2.0", id: again.id, result: named("Ada") });
    expect(await second).toMatchObject({ result: { content: [{ text: "Ada" }] } });
  });

  it("tells no progress again that an earlier run has told", async () => {
    const gate = new Gate();
    const { client } = open(async (ctx) => {
      await ctx.progress(1);
      await ctx.progress(2);
      await ctx.elicit("Who?", name);
      await ctx.progress(3);
      await gate.pass(ctx.signal);
      return "done";
    });
    client.onRequest = () => named("Ada");
    const taskId = await beginPlain(client, { _meta: { progressToken: "p" } });
    const result = client.result("tasks/result", { taskId });
    const isLast = ({ params }: Wire) => (params as Wire | undefined)?.progress === 3;
    await client.until(isLast);
    gate.open();
    await result;
    const told = client.heard.filter(({ method }) => method === "notifications/progress");
    const steps = told.map(({ params }) => Number((params as Wire).progress));
    expect(steps).toEqual([...new Set(steps)].sort());
  });
});

it("a server without tasks tells of the rest to those who listen", async () => {
  const client = openRaw(createServer({ name: "s", version: "1", tools: [tool("t", {}, () => "t")] }));
  const notifications = { toolsListChanged: true, taskIds: ["x"] };
  void client.ask("subscriptions/listen", alone({ notifications }, withTasks));
  const told = await client.until(({ method, error }) => method !== undefined || error !== undefined);
  expect(told).toMatchObject({ params: { notifications: { toolsListChanged: true } } });
});
