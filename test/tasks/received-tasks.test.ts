import { describe, expect, it } from "vitest";
import type { Asks } from "../../src/client/incoming/asks.ts";
import { ReceivedTasks } from "../../src/client/incoming/received-tasks.ts";
import { RpcError } from "../../src/errors.ts";
import { revisions } from "../../src/protocol/revisions/index.ts";
import { openClient } from "../support/open-client.ts";
import { handshakeServer } from "../support/scripted-server.ts";

const related = "io.modelcontextprotocol/related-task";
const sampling = { messages: [{ role: "user", content: { type: "text", text: "Hi" } }], maxTokens: 5 };
const answer = { role: "assistant", content: { type: "text", text: "Hello" }, model: "m" } as const;

/** A client that answers when it is told to. */
async function open(options: { asks?: boolean } = { asks: true }) {
  const server = handshakeServer("2025-11-25");
  let reply: (fails?: Error) => void = () => {};
  let signal: AbortSignal | undefined;
  await openClient(server, {
    tasks: options,
    onProblem: () => {},
    sample: (_, context) => {
      signal = context.signal;
      return new Promise((resolve, reject) => {
        reply = (fails) => (fails ? reject(fails) : resolve(answer));
      });
    },
  });
  const begin = async () => {
    const { result } = await server.line.ask("s", "sampling/createMessage", {
      ...sampling,
      task: { ttl: 5000 },
    });
    return result.task;
  };
  return { line: server.line, begin, reply: (fails?: Error) => reply(fails), signal: () => signal };
}

describe("a question that is put as a task", () => {
  it("is declared, answered with a task at once, and with its result when it is asked for", async () => {
    const { line, begin, reply } = await open();
    const [{ capabilities }] = line.paramsOf("initialize");
    expect(capabilities.tasks).toEqual({
      list: {},
      cancel: {},
      requests: { sampling: { createMessage: {} } },
    });
    const task = await begin();
    expect(task).toMatchObject({ status: "working", ttl: 5000, pollInterval: expect.any(Number) });
    const { taskId } = task;
    expect((await line.ask(1, "tasks/get", { taskId })).result).toEqual(task);
    const waiting = line.ask(2, "tasks/result", { taskId });
    reply();
    expect((await waiting).result).toEqual({ ...answer, _meta: { [related]: { taskId } } });
    expect((await line.saw("notifications/tasks/status")).params).toMatchObject({
      taskId,
      status: "completed",
    });
    const { result } = await line.ask(3, "tasks/list");
    expect(result.tasks).toMatchObject([{ taskId, status: "completed" }]);
    expect((await line.ask(4, "tasks/cancel", { taskId })).error).toMatchObject({ code: -32602 });
  });

  it("fails without telling the server what the host's handler threw", async () => {
    const { line, begin, reply } = await open();
    const { taskId } = await begin();
    reply(new Error("secret"));
    const { error } = await line.ask(1, "tasks/result", { taskId });
    expect(error.message).not.toContain("secret");
    expect((await line.ask(2, "tasks/get", { taskId })).result).toMatchObject({ status: "failed" });
  });

  it("is cancelled by the server, which the handler hears of", async () => {
    const { line, begin, signal, reply } = await open();
    const { taskId } = await begin();
    const waiting = line.ask(1, "tasks/result", { taskId });
    expect((await line.ask(2, "tasks/cancel", { taskId })).result).toMatchObject({ status: "cancelled" });
    expect(signal()?.aborted).toBe(true);
    expect((await waiting).error).toMatchObject({ message: "The task was cancelled." });
    reply();
    expect((await line.ask(3, "tasks/get", { taskId })).result).toMatchObject({ status: "cancelled" });
    expect((await line.ask(4, "tasks/get", { taskId: "none" })).error).toMatchObject({ code: -32602 });
  });

  it("is dropped with the connection, which the handler hears of", async () => {
    const { line, begin, signal } = await open();
    await begin();
    const aborted = new Promise((resolve) => signal()?.addEventListener("abort", resolve));
    await line.close();
    await aborted;
    expect(signal()?.reason).toBe("the connection is closed");
  });

  it("is a plain question to a client that has not declared it", async () => {
    const { line, reply } = await open({});
    const [{ capabilities }] = line.paramsOf("initialize");
    expect(capabilities).not.toHaveProperty("tasks");
    const answered = line.ask("s", "sampling/createMessage", { ...sampling, task: {} });
    await line.ask(1, "ping");
    reply();
    expect((await answered).result).toEqual(answer);
    expect((await line.ask(2, "tasks/list")).error).toMatchObject({ code: -32601 });
  });
});

describe("a server that puts its questions as tasks without end", () => {
  it("has a hundred of them, and 16 Mi characters, and the others refused", async () => {
    const { line } = await open();
    const ask = (id: number, text: string) =>
      line.ask(`q${id}`, "sampling/createMessage", {
        ...sampling,
        messages: [{ role: "user", content: { type: "text", text } }],
        task: {},
      });
    const large = "x".repeat(9 * 1024 * 1024);
    expect(await ask(0, large)).toHaveProperty("result.task");
    expect(await ask(1, large)).toMatchObject({ error: { code: -32603 } });
    for (let id = 2; id <= 100; id++) expect(await ask(id, "Hi")).toHaveProperty("result.task");
    expect(await ask(101, "Hi")).toMatchObject({ error: { code: -32603 } });
  });

  it("is told of no more than sixteen at once, if it does not take the notifications", async () => {
    const revision = revisions.find(({ version }) => version === "2025-11-25");
    if (revision === undefined) throw new Error("The revision is gone.");
    let notified = 0;
    const tasks = new ReceivedTasks({
      revision,
      capabilities: { tasks: { requests: { sampling: { createMessage: {} } } } },
      asks: { answer: () => new Promise(() => {}) } as unknown as Asks,
      notify: () => {
        notified++;
        return new Promise(() => {});
      },
      toRpcError: () => new RpcError(-32603, "failed"),
    });
    const { signal } = new AbortController();
    for (let id = 0; id < 50; id++) {
      const begun = await tasks.answer({
        method: "sampling/createMessage",
        params: { ...sampling, task: {} },
        signal,
      });
      const { taskId } = (begun?.task ?? {}) as { taskId?: string };
      await tasks.answer({ method: "tasks/cancel", params: { taskId }, signal });
    }
    expect(notified).toBe(16);
  });
});
