import { createMemoryPipe, servePipe } from "allspeak";
import { describe, expect, it } from "vitest";
import { openRaw, RawClient, type Wire } from "../support/raw-client.ts";
import { Gate, taskServer, withTasks } from "./fixture.ts";

const related = "io.modelcontextprotocol/related-task";

async function open(gate = new Gate(), options: Parameters<typeof taskServer>[1] = {}) {
  const made = taskServer(gate, options);
  const client = openRaw(made.server);
  const opened = await client.initialize("2025-11-25", { elicitation: {}, sampling: {} });
  return { ...made, client, opened };
}

async function begin(client: RawClient, name: string, params: Wire = {}): Promise<Wire> {
  const { task } = await client.result("tools/call", { name, task: {}, ...params });
  return task as Wire;
}

describe("a call of 2025-11-25", () => {
  it("becomes a task when it asks to, and its result is fetched by a request of its own", async () => {
    const { client } = await open();
    const task = await begin(client, "dig", { arguments: { depth: 2 }, task: { ttl: 5000 } });
    expect(task).toEqual({
      taskId: expect.any(String),
      status: "working",
      createdAt: expect.any(String),
      lastUpdatedAt: expect.any(String),
      ttl: 5000,
      pollInterval: 20,
    });
    const result = await client.result("tasks/result", { taskId: task.taskId });
    expect(result).toEqual({
      content: [{ type: "text", text: "dug 2" }],
      _meta: { [related]: { taskId: task.taskId } },
    });
    const got = await client.result("tasks/get", { taskId: task.taskId });
    expect(got).toMatchObject({ status: "completed", ttl: 5000 });
    for (const absent of ["result", "ttlMs", "_meta"]) expect(got).not.toHaveProperty(absent);
  });

  it("waits when it does not ask to", async () => {
    const { client } = await open();
    expect(await client.result("tools/call", { name: "dig", arguments: { depth: 1 } })).toEqual({
      content: [{ type: "text", text: "dug 1" }],
    });
  });

  it("is refused as no method where the tool can't be a task, or must be one", async () => {
    const { client } = await open();
    expect((await client.ask("tools/call", { name: "plain", task: {} })).error).toMatchObject({
      code: -32601,
      message: 'Tool "plain" can\'t be called as a task.',
    });
    expect((await client.ask("tools/call", { name: "must" })).error).toMatchObject({ code: -32601 });
  });

  it("gets the time to live that it asks for, up to a limit", async () => {
    const { client } = await open(new Gate(), { tasks: { maxTtlMs: 7_200_000 } });
    const ttlOf = async (ttl: unknown) =>
      (await begin(client, "dig", { arguments: { depth: 1 }, task: { ttl } })).ttl;
    expect(await ttlOf(1e12)).toBe(7_200_000);
    expect(await ttlOf(-5)).toBe(1000);
    expect(await ttlOf(null)).toBe(3_600_000);
  });

  it.each([5, "now", [], { ttl: "long" }, { ttl: {} }])("is refused with the task %j", async (task) => {
    const { client } = await open();
    const { error } = await client.ask("tools/call", { name: "dig", arguments: { depth: 1 }, task });
    expect(error).toMatchObject({ code: -32602, message: expect.stringContaining("task") });
  });

  it("finds in the list of tools, and at the beginning, what can be a task", async () => {
    const { client, opened } = await open();
    expect(opened.capabilities).toMatchObject({
      tasks: { cancel: {}, requests: { tools: { call: {} } } },
    });
    expect(opened.capabilities).not.toHaveProperty("extensions");
    const { tools } = await client.result("tools/list");
    const support = Object.fromEntries(
      (tools as Wire[]).map((tool) => [tool.name, (tool.execution as Wire | undefined)?.taskSupport]),
    );
    expect(support).toMatchObject({ plain: undefined, dig: "optional", must: "required" });
  });
});

describe("a task of 2025-11-25", () => {
  it("that failed has failed, as a tool or as a call, and its result says how", async () => {
    const { client } = await open();
    const must = await begin(client, "must");
    expect(await client.result("tasks/result", { taskId: must.taskId })).toMatchObject({ isError: true });
    expect(await client.result("tasks/get", { taskId: must.taskId })).toMatchObject({
      status: "failed",
      statusMessage: "no luck",
    });
    const breaks = await begin(client, "breaks");
    const { error } = await client.ask("tasks/result", { taskId: breaks.taskId });
    expect(error).toEqual({ code: -32050, message: "broken", data: { part: 1 } });
    expect(await client.result("tasks/get", { taskId: breaks.taskId })).toMatchObject({
      status: "failed",
      statusMessage: "broken",
    });
  });

  it("asks on the line of whoever waits for its result", async () => {
    const { client, once } = await open();
    const asked: Wire[] = [];
    client.onRequest = ({ method, params }) => {
      asked.push({ method, ...(params as Wire) });
      const name = String((params as Wire).message).startsWith("First") ? "Ada" : "Byron";
      return { action: "accept", content: { name } };
    };
    const { taskId } = await begin(client, "greets");
    const result = await client.result("tasks/result", { taskId });
    expect(result).toMatchObject({ content: [{ text: "2 Ada Byron" }] });
    expect(once).toEqual(["began", "once", "began"]);
    expect(asked).toHaveLength(2);
    for (const ask of asked) {
      expect(ask).toMatchObject({ method: "elicitation/create", _meta: { [related]: { taskId } } });
    }
  });

  it("waits with its questions for somebody to ask, and asks nobody twice", async () => {
    const { client } = await open();
    const answers: (() => void)[] = [];
    const { taskId } = await begin(client, "greets");
    for (;;) {
      const { status } = await client.result("tasks/get", { taskId });
      if (status === "input_required") break;
      await client.settle();
    }
    expect(client.heard.filter(({ method }) => method === "elicitation/create")).toEqual([]);
    client.onRequest = ({ id }) => {
      answers.push(() =>
        client.say({ jsonrpc: "2.0", id, result: { action: "accept", content: { name: "Ada" } } }),
      );
    };
    const results = [1, 2].map(() => client.result("tasks/result", { taskId }));
    while (answers.length < 2) await client.settle();
    await client.settle();
    expect(answers).toHaveLength(2);
    for (const answer of answers) answer();
    for (const result of await Promise.all(results)) {
      expect(result).toMatchObject({ content: [{ text: "2 Ada Ada" }] });
    }
  });

  it("throws in its handler what a client refused to answer", async () => {
    const { client } = await open();
    client.onRequest = ({ id }) => {
      client.say({ jsonrpc: "2.0", id, error: { code: -32001, message: "not today" } });
    };
    const { taskId } = await begin(client, "greets");
    const { error } = await client.ask("tasks/result", { taskId });
    expect(error).toEqual({ code: -32001, message: "not today" });
  });

  it("tells whoever waits how far it is, under the token of the call", async () => {
    const gate = new Gate();
    const { client } = await open(gate);
    const meta = { progressToken: "mine" };
    const { task } = await client.result("tools/call", { name: "long", task: {}, _meta: meta });
    const { taskId } = task as Wire;
    const result = client.result("tasks/result", { taskId });
    await gate.reached;
    await client.settle();
    gate.open();
    await result;
    const status = client.heard.filter(({ method }) => method === "notifications/tasks/status");
    expect(status.at(-1)?.params).toMatchObject({ taskId, status: "completed", pollInterval: 20 });
    const progress = client.heard.filter(({ method }) => method === "notifications/progress");
    expect(progress.at(-1)?.params).toMatchObject({
      progressToken: "mine",
      progress: 2,
      message: "all",
      _meta: { [related]: { taskId } },
    });
  });

  it("is cancelled once; after its end that is an error", async () => {
    const gate = new Gate();
    const { client } = await open(gate);
    const { taskId } = await begin(client, "long");
    const signal = await gate.reached;
    const waiting = client.ask("tasks/result", { taskId });
    expect(await client.result("tasks/cancel", { taskId })).toMatchObject({ taskId, status: "cancelled" });
    expect((await waiting).error).toMatchObject({ message: "The task was cancelled." });
    expect(signal.aborted).toBe(true);
    expect((await client.ask("tasks/cancel", { taskId })).error).toMatchObject({ code: -32602 });
  });

  it("stands in the list of its owner, page by page, and in no other", async () => {
    const { server } = taskServer(new Gate(), { pageSize: 2 });
    const openAs = async (subject: string) => {
      const [near, far] = createMemoryPipe();
      servePipe(server, far, { principal: { issuer: "https://id.example", subject } });
      const raw = new RawClient(near);
      await raw.initialize("2025-11-25", withTasks);
      return raw;
    };
    const client = await openAs("ada");
    const made: unknown[] = [];
    for (let at = 0; at < 3; at++) {
      made.push((await begin(client, "dig", { arguments: { depth: at } })).taskId);
    }
    const first = await client.result("tasks/list");
    expect((first.tasks as Wire[]).map(({ taskId }) => taskId)).toEqual(made.slice(0, 2));
    const second = await client.result("tasks/list", { cursor: first.nextCursor });
    expect((second.tasks as Wire[]).map(({ taskId }) => taskId)).toEqual(made.slice(2));
    expect(second).not.toHaveProperty("nextCursor");
    expect((await client.ask("tasks/list", { cursor: "odd" })).error).toMatchObject({ code: -32602 });
    expect(await (await openAs("ada")).result("tasks/list")).toEqual(first);
    expect(await (await openAs("bob")).result("tasks/list")).toEqual({ tasks: [] });
    const anonymous = openRaw(server);
    await anonymous.initialize("2025-11-25");
    expect(await anonymous.ask("tasks/list")).toMatchObject({ error: { code: -32601 } });
  });

  it("is unknown under any other id, and where there are no tasks there is no method", async () => {
    const { client } = await open();
    for (const method of ["tasks/get", "tasks/result", "tasks/cancel"]) {
      expect((await client.ask(method, { taskId: "none" })).error).toMatchObject({ code: -32602 });
    }
    const bare = openRaw(taskServer(new Gate(), { revisions: ["2025-06-18"] }).server);
    await bare.initialize("2025-06-18");
    expect((await bare.ask("tasks/get", { taskId: "none" })).error).toMatchObject({ code: -32601 });
  });
});

describe("a call of a revision without tasks", () => {
  it("waits, and is refused in plain words where the tool must be a task", async () => {
    const client = openRaw(taskServer().server);
    await client.initialize("2025-06-18");
    expect(
      await client.result("tools/call", { name: "dig", arguments: { depth: 1 }, task: {} }),
    ).toMatchObject({
      content: [{ text: "dug 1" }],
    });
    expect((await client.ask("tools/call", { name: "must" })).error).toMatchObject({
      code: -32600,
      message: 'Tool "must" runs only as a task, and revision 2025-06-18 of the protocol has none.',
    });
  });
});
