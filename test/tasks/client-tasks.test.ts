import { CallLostError, createServer, RpcError, tool } from "allspeak";
import { connect } from "allspeak/client";
import { serveHttp } from "allspeak/node";
import { describe, expect, it, onTestFinished } from "vitest";
import { hurry } from "../support/hurry.ts";
import { failure, openClient } from "../support/open-client.ts";
import { discoverServer } from "../support/scripted-server.ts";
import { Gate, taskServer } from "./fixture.ts";

const text = (result: { content: readonly unknown[] }) => (result.content[0] as { text: string }).text;
const person = { elicit: async () => ({ action: "accept" as const, content: { name: "Ada" } }) };

describe.each(["2025-11-25", "2026-07-28"] as const)("a call that becomes a task, in %s", (revision) => {
  const open = (gate = new Gate(), options = {}) =>
    openClient(taskServer(gate).server, { tasks: true, revisions: [revision], ...options });

  it("is waited for, and tells how it is", async () => {
    const gate = new Gate();
    const client = await open(gate);
    const seen: string[] = [];
    const onTask = ({ status, statusMessage }: { status: string; statusMessage?: string }) =>
      seen.push(`${status} ${statusMessage ?? ""}`.trim());
    const called = client.tools.call("long", {}, { task: true, onTask });
    await gate.reached;
    gate.open();
    expect(text(await called)).toMatch(/^long [0-9a-f]{40}$/);
    expect(seen[0]).toBe("working");
    expect(seen.at(-1)).toBe("completed all");
  });

  it("has its questions answered once each by the handlers of the client", async () => {
    let asked = 0;
    const elicit = async () => {
      asked++;
      return person.elicit();
    };
    const client = await open(new Gate(), { elicit });
    expect(text(await client.tools.call("greets", {}, { task: true }))).toBe("2 Ada Ada");
    expect(asked).toBe(2);
  });

  it("rejects with the error that ended the task, and gives the result of a tool that failed", async () => {
    const client = await open();
    await client.tools.list().all();
    const error = await failure(client.tools.call("breaks", {}, { task: true }));
    expect(error).toMatchObject({ code: "rpc", wireCode: -32050, message: "broken", data: { part: 1 } });
    expect(await client.tools.call("must")).toMatchObject({ isError: true });
  });

  it("of a tool that must be a task becomes one, although the tools were not listed", async () => {
    const client = await open();
    expect(await client.tools.call("must")).toMatchObject({ isError: true, content: [{ text: "no luck" }] });
  });

  it("is cancelled when it is given up, or takes too long", async () => {
    for (const giveUp of ["signal", "timeout"] as const) {
      const gate = new Gate();
      const client = await open(gate);
      const controller = new AbortController();
      const options =
        giveUp === "signal" ? { signal: controller.signal } : { timeout: { total: 300, idle: 300 } };
      const called = failure(client.tools.call("long", {}, { task: true, ...options }));
      const signal = await gate.reached;
      const stopped = new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      controller.abort("enough");
      expect(await called).toMatchObject({ code: giveUp === "signal" ? "cancelled" : "timeout" });
      await stopped;
    }
  });

  it("can be gone on with by its id, by a client that was started again", async () => {
    const gate = new Gate();
    const { server } = taskServer(gate);
    const first = await connect(server, { tasks: true, revisions: [revision] });
    const begun = new Promise<string>((resolve) => {
      const onTask = ({ taskId }: { taskId: string }) => resolve(taskId);
      first.tools.call("long", {}, { task: true, onTask }).catch(() => {});
    });
    const taskId = await begun;
    await gate.reached;
    await first.close();
    const second = await openClient(server, { tasks: true, revisions: [revision] });
    expect(await second.tasks.get(taskId)).toMatchObject({ taskId, status: "working" });
    const seen: string[] = [];
    const onTask = (task: { status: string }) => {
      seen.push(task.status);
      gate.open();
    };
    expect(text(await second.tasks.resume(taskId, { onTask }))).toBe(`long ${taskId}`);
    expect(seen).toEqual(["working", "completed"]);
  });

  it("can be cancelled by its id", async () => {
    const client = await open();
    let called: Promise<Error> | undefined;
    const taskId = await new Promise<string>((resolve) => {
      const onTask = (task: { taskId: string }) => resolve(task.taskId);
      called = failure(client.tools.call("long", {}, { task: true, onTask }));
    });
    await client.tasks.cancel(taskId);
    expect((await called)?.message).toContain("The task was cancelled");
  });
});

describe("where the client decides", () => {
  const open = (options = {}) => openClient(taskServer().server, { revisions: ["2025-11-25"], ...options });

  it("a call is a task only if it is wished, or the tool must be one", async () => {
    const client = await open();
    const sent: unknown[] = [];
    client.use((call, next) => {
      if (call.method === "tools/call") sent.push(call.params.task);
      return next();
    });
    await client.tools.call("dig", { depth: 1 });
    // It is refused first, and nothing has run yet.
    await client.tools.call("must");
    await client.tools.call("must");
    await client.tools.call("dig", { depth: 1 }, { task: { ttlMs: 5000 } });
    expect(sent).toEqual([undefined, undefined, {}, {}, { ttlMs: 5000 }]);
    expect(await failure(client.tools.call("plain", {}, { task: true }))).toMatchObject({ code: "usage" });
  });

  it("a tool that must be a task stays one after a change of the list", async () => {
    const { server } = taskServer();
    const client = await openClient(server, { revisions: ["2025-11-25"] });
    await client.tools.list().all();
    const changed = new Promise<void>((resolve) => client.onChange(() => resolve()));
    server.tool("new", {}, () => "");
    await changed;
    // A call that is no task is refused, and never comes to the tool.
    expect(await client.tools.call("must")).toMatchObject({ content: [{ text: "no luck" }] });
  });

  it("tasks can be listed by a caller that is identified", async () => {
    const identify = () => ({ issuer: "https://id.example", subject: "ada" });
    const running = await serveHttp(taskServer().server, { identify });
    onTestFinished(() => running.close(0));
    const client = await openClient(running.url, { revisions: ["2025-11-25"] });
    expect(client.server.capabilities.tasks).toHaveProperty("list");
    expect(await client.tasks.list().all()).toEqual([]);
    await client.tools.call("dig", { depth: 1 }, { task: true });
    const tasks = await client.tasks.list().all();
    expect(tasks).toMatchObject([{ status: "completed", ttlMs: 3_600_000, pollIntervalMs: 20 }]);
  });

  it("tasks are known by their ids alone to a caller that is not", async () => {
    const client = await open();
    await client.tools.call("dig", { depth: 1 }, { task: true });
    expect(client.server.capabilities.tasks).toEqual({ cancel: {}, requests: { tools: { call: {} } } });
    expect(await failure(client.tasks.list().all())).toMatchObject({ wireCode: -32601 });
  });

  it("a wish is refused before anything is sent where the server has no tasks", async () => {
    const server = createServer({ name: "bare", version: "1", tools: [tool("plain", {}, () => "plain")] });
    const client = await openClient(server, { revisions: ["2025-11-25"] });
    expect(await failure(client.tools.call("plain", {}, { task: true }))).toMatchObject({
      code: "capability-missing",
      capability: "tasks.requests.tools.call",
    });
    expect(text(await client.tools.call("plain", {}, { task: false }))).toBe("plain");
  });

  it("progress of the task comes under the token of the call", async () => {
    const gate = new Gate();
    const client = await openClient(taskServer(gate).server, { revisions: ["2025-11-25"] });
    const seen: number[] = [];
    const onProgress = ({ progress }: { progress: number }) => {
      seen.push(progress);
      gate.open();
    };
    await client.tools.call("long", {}, { task: true, onProgress });
    expect(seen).toEqual([1, 2]);
  });
});

describe("where the server decides", () => {
  it.each([undefined, false, {}, { asks: false }, { calls: false }])(
    "a client that does not ask for tasks (%j) gets none, and is told of the option that does",
    async (tasks) => {
      const { server } = taskServer();
      const plain = await openClient(server, { tasks });
      expect(text(await plain.tools.call("dig", { depth: 2 }))).toBe("dug 2");
      const attempts = [
        plain.tools.call("must"),
        plain.request("tools/call", { name: "must" }),
        plain.request("tasks/get", { taskId: "0" }),
        plain.tasks.get("0"),
        plain.tasks.cancel("0"),
        plain.tasks.resume("0"),
        plain.subscribe({ tasks: ["0"] }),
      ];
      for (const error of await Promise.all(attempts.map(failure))) {
        expect(error).toMatchObject({ code: "capability-missing", lackedBy: "client" });
        expect(error.message).toContain("connect with the option tasks: true");
      }
      expect(await failure(plain.tasks.list().all())).toMatchObject({ code: "not-in-revision" });
    },
  );

  it("a host that mounts a client without tasks keeps the client's lack from its own callers", async () => {
    const upstream = await openClient(taskServer().server);
    const gateway = createServer({ name: "gateway", version: "1.0.0", log: () => {} });
    gateway.mount("up", upstream);
    const caller = await openClient(gateway, { tasks: true });
    expect(await caller.tools.call("up_must")).toMatchObject({
      isError: true,
      content: [{ text: 'The server "up" failed to answer.' }],
    });
  });

  it("rounds before the task and questions in it are all answered", async () => {
    const client = await openClient(taskServer().server, { tasks: true, ...person });
    expect(text(await client.tools.call("asks-first"))).toBe("for Ada, in a task");
  });

  it("a server that has no room just now, or loses an answer, is asked again", async () => {
    hurry();
    const client = await openClient(taskServer().server, { tasks: true });
    const troubles = [
      new RpcError(429, "Too many calls"),
      new CallLostError("lost", { lost: "connection", mayRetry: false }),
    ];
    client.use((call, next) => {
      const trouble = call.method === "tasks/get" ? troubles.shift() : undefined;
      if (trouble) throw trouble;
      return next();
    });
    expect(text(await client.tools.call("dig", { depth: 4 }))).toBe("dug 4");
    expect(troubles).toEqual([]);
  });

  it("a server that tells of a task is asked that much more rarely", async () => {
    const gate = new Gate();
    const client = await openClient(taskServer(gate).server, { tasks: true });
    let asked = 0;
    client.use((call, next) => {
      if (call.method === "tasks/get") asked++;
      return next();
    });
    const told = new Promise<void>((resolve) => {
      client.onNotification((method) => method === "notifications/tasks" && resolve());
    });
    const called = client.tools.call("long");
    await told;
    const before = asked;
    gate.open();
    expect(text(await called)).toMatch(/^long/);
    expect(asked).toBe(before);
  });

  it("an answer that is no task of ours, or comes to a client that knows none, is refused", async () => {
    const task = { taskId: "t", status: "working", createdAt: "", ttlMs: null, pollIntervalMs: 20 };
    const created = { resultType: "task", ...task };
    const script = {
      "tools/call": () => created,
      "tasks/get": () => ({ ...created, resultType: "complete", taskId: "another" }),
      "prompts/get": () => created,
    };
    const knowing = await openClient(discoverServer({ script }), { tasks: true });
    expect(await failure(knowing.tools.call("x"))).toMatchObject({ code: "invalid-response" });
    expect(await failure(knowing.prompts.get("x"))).toMatchObject({ code: "invalid-response" });
    const unknowing = await openClient(discoverServer({ script }));
    const error = await failure(unknowing.tools.call("x"));
    expect(error).toMatchObject({ code: "invalid-response" });
    expect(error.message).toContain("connect with the option tasks: true");
  });

  it("a host that can't answer gives the task up", async () => {
    const elicit = () => {
      throw new Error("no user");
    };
    const { server } = taskServer();
    const client = await openClient(server, { tasks: true, elicit, onProblem: () => {} });
    let id = "";
    const onTask = ({ taskId }: { taskId: string }) => {
      id = taskId;
    };
    expect((await failure(client.tools.call("greets", {}, { onTask }))).message).toContain("no user");
    let { status } = await client.tasks.get(id);
    while (status === "working" || status === "input_required") ({ status } = await client.tasks.get(id));
    expect(status).toBe("cancelled");
  });

  it("a call by hand is waited for, too", async () => {
    const client = await openClient(taskServer().server, { tasks: true });
    const result = await client.request("tools/call", { name: "dig", arguments: { depth: 4 } });
    expect(result).toMatchObject({ content: [{ text: "dug 4" }] });
    const raw = await client.request(
      "tools/call",
      { name: "dig", arguments: { depth: 4 } },
      { rounds: "manual" },
    );
    expect(raw).toMatchObject({ resultType: "task", status: "working" });
  });
});
