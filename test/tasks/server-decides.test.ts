import { describe, expect, it } from "vitest";
import { alone, openRaw, type Wire } from "../support/raw-client.ts";
import { extension, Gate, taskServer, until, withTasks } from "./fixture.ts";

const accept = (name: string) => ({ action: "accept", content: { name } });

function call(name: string, args: Wire = {}, capabilities: Wire = withTasks): Wire {
  return alone({ name, arguments: args }, capabilities);
}

describe("a call in the newest revision", () => {
  it("is answered with a task, which can be looked up at once and has the result in the end", async () => {
    const client = openRaw(taskServer().server);
    const created = await client.result("tools/call", call("dig", { depth: 3 }));
    expect(created).toMatchObject({ resultType: "task", status: "working", pollIntervalMs: 20 });
    expect(created).toMatchObject({ ttlMs: 3_600_000, taskId: expect.stringMatching(/^[0-9a-f]{40}$/) });
    expect(Date.parse(String(created.createdAt))).toBeLessThanOrEqual(Date.now());
    for (const absent of ["result", "inputRequests", "requestState", "task"])
      expect(created).not.toHaveProperty(absent);
    const task = await until(client, created.taskId, "completed");
    expect(task).toMatchObject({ resultType: "complete", result: { content: [{ text: "dug 3" }] } });
  });

  it("waits where the client does not know tasks, whatever it declared before", async () => {
    const client = openRaw(taskServer().server);
    await client.result("tools/call", call("dig", { depth: 1 }));
    const result = await client.result("tools/call", call("dig", { depth: 3 }, {}));
    expect(result).toMatchObject({ resultType: "complete", content: [{ text: "dug 3" }] });
  });

  it("is refused with what is missing where the tool needs a task", async () => {
    const client = openRaw(taskServer().server);
    const { error } = await client.ask("tools/call", call("must", {}, {}));
    expect(error).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { extensions: { [extension]: {} } } },
    });
  });

  it("becomes no task for a wish in the words of the revision before", async () => {
    const client = openRaw(taskServer().server);
    const params = { ...call("plain"), task: { ttl: 1000 } };
    expect(await client.result("tools/call", params)).toMatchObject({ resultType: "complete" });
  });

  it("with arguments that don't fit is refused at once", async () => {
    const client = openRaw(taskServer().server);
    const result = await client.result("tools/call", call("dig", { depth: "deep" }));
    expect(result).toMatchObject({ resultType: "complete", isError: true });
  });
});

describe("a task of the newest revision", () => {
  it("that failed as a tool has completed; one that failed as a call has failed", async () => {
    const client = openRaw(taskServer().server);
    const must = await client.result("tools/call", call("must"));
    expect(await until(client, must.taskId, "completed")).toMatchObject({
      result: { isError: true, content: [{ text: "no luck" }] },
    });
    const breaks = await client.result("tools/call", call("breaks"));
    const task = await until(client, breaks.taskId, "failed");
    expect(task).toMatchObject({
      error: { code: -32050, message: "broken", data: { part: 1 } },
      statusMessage: "broken",
    });
    expect(task).not.toHaveProperty("result");
  });

  it("says how far it is, and has nothing to show before it ends", async () => {
    const gate = new Gate();
    const client = openRaw(taskServer(gate).server);
    const { taskId } = await client.result("tools/call", call("long"));
    await gate.reached;
    const task = await client.result("tasks/get", alone({ taskId }, withTasks));
    expect(task).toMatchObject({ status: "working", statusMessage: "half" });
    expect(task).not.toHaveProperty("result");
    gate.open();
    expect(await until(client, taskId, "completed")).toMatchObject({
      result: { content: [{ text: `long ${taskId}` }] },
    });
  });

  it("asks all at once, takes answers in parts, and does once what is done once", async () => {
    const { server, once } = taskServer();
    const client = openRaw(server);
    const { taskId } = await client.result("tools/call", call("greets"));
    const asking = await until(client, taskId, "input_required");
    expect(asking.inputRequests).toMatchObject({
      first: { method: "elicitation/create", params: { message: "First name?" } },
      last: { method: "elicitation/create" },
    });
    const update = (inputResponses: Wire) =>
      client.result("tasks/update", alone({ taskId, inputResponses }, withTasks));
    expect(await update({ first: accept("Ada"), other: accept("No") })).toMatchObject({
      resultType: "complete",
    });
    const left = await until(client, taskId, "input_required");
    expect(Object.keys(left.inputRequests as Wire)).toEqual(["last"]);
    await update({ first: accept("Eve"), last: accept("Byron") });
    const done = await until(client, taskId, "completed");
    expect(done).toMatchObject({ result: { content: [{ text: "2 Ada Byron" }] } });
    expect(once).toEqual(["began", "once", "began"]);
  });

  it("asks again, under another name, for an answer that does not fit", async () => {
    const client = openRaw(taskServer().server);
    const { taskId } = await client.result("tools/call", call("greets"));
    await until(client, taskId, "input_required");
    const update = (inputResponses: Wire) =>
      client.result("tasks/update", alone({ taskId, inputResponses }, withTasks));
    await update({ first: accept("x"), last: accept("Byron") });
    const again = await until(client, taskId, "input_required");
    expect(Object.keys(again.inputRequests as Wire)).toEqual(["first~2"]);
    await update({ "first~2": accept("Ada") });
    expect(await until(client, taskId, "completed")).toMatchObject({
      result: { content: [{ text: "2 Ada Byron" }] },
    });
  });

  it("begins after the questions of a handler that detaches", async () => {
    const client = openRaw(taskServer().server);
    const round = await client.result("tools/call", call("asks-first"));
    expect(round).toMatchObject({ resultType: "input_required", inputRequests: { who: {} } });
    expect(round).not.toHaveProperty("taskId");
    const { requestState } = round;
    const params = { ...call("asks-first"), requestState, inputResponses: { who: accept("Ada") } };
    const created = await client.result("tools/call", params);
    expect(created).toMatchObject({ resultType: "task", status: "working" });
    for (const absent of ["requestState", "inputRequests"]) expect(created).not.toHaveProperty(absent);
    expect(await until(client, created.taskId, "completed")).toMatchObject({
      result: { content: [{ text: "for Ada, in a task" }] },
    });
  });

  it("that is cancelled stops its handler and stays cancelled", async () => {
    const gate = new Gate();
    const client = openRaw(taskServer(gate).server);
    const { taskId } = await client.result("tools/call", call("long"));
    const signal = await gate.reached;
    const stopped = new Promise((resolve) => signal.addEventListener("abort", resolve));
    const { _meta, ...acknowledged } = await client.result("tasks/cancel", alone({ taskId }, withTasks));
    expect(acknowledged).toEqual({ resultType: "complete" });
    await stopped;
    gate.open();
    expect(await until(client, taskId, "cancelled")).not.toHaveProperty("result");
    expect(await client.result("tasks/cancel", alone({ taskId }, withTasks))).toMatchObject({
      resultType: "complete",
    });
  });

  it("is unknown once its time is over, and under any other id", async () => {
    const client = openRaw(taskServer().server);
    for (const method of ["tasks/get", "tasks/cancel", "tasks/update"]) {
      const { error } = await client.ask(method, alone({ taskId: "none", inputResponses: {} }, withTasks));
      expect(error).toMatchObject({ code: -32602 });
    }
  });

  it("is asked for only by those who declare that they know tasks", async () => {
    const client = openRaw(taskServer().server);
    const { taskId } = await client.result("tools/call", call("dig", { depth: 1 }));
    for (const method of ["tasks/get", "tasks/cancel", "tasks/update"]) {
      const { error } = await client.ask(method, alone({ taskId, inputResponses: {} }));
      expect(error).toMatchObject({
        code: -32021,
        data: { requiredCapabilities: { extensions: { [extension]: {} } } },
      });
    }
    for (const method of ["tasks/result", "tasks/list"]) {
      expect((await client.ask(method, alone({ taskId }, withTasks))).error).toMatchObject({ code: -32601 });
    }
  });

  it("is declared by servers that have any", async () => {
    const client = openRaw(taskServer().server);
    const { capabilities } = await client.result("server/discover", alone());
    expect(capabilities).toMatchObject({ extensions: { [extension]: {} } });
    expect(capabilities).not.toHaveProperty("tasks");
  });
});
