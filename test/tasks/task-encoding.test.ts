import { describe, expect, it } from "vitest";
import { readTask } from "../../src/protocol/model/read-task.ts";
import { SupportedRevisions } from "../../src/protocol/negotiate.ts";

const [newest, previous, older] = new SupportedRevisions().all;
if (newest === undefined || previous === undefined || older === undefined) throw new Error("revisions");
const server = { name: "s", version: "1" };
const extension = "io.modelcontextprotocol/tasks";

const task = {
  taskId: "t",
  status: "completed",
  createdAt: "2026-01-01T00:00:00.000Z",
  lastUpdatedAt: "2026-01-01T00:00:01.000Z",
  ttlMs: 60_000,
  pollIntervalMs: 100,
};
const plain = {
  taskId: "t",
  status: "completed",
  createdAt: task.createdAt,
  lastUpdatedAt: task.lastUpdatedAt,
  ttl: 60_000,
  pollInterval: 100,
};
const result = { content: [{ type: "text", text: "done" }] };

describe("a task on the wire", () => {
  it("is created in one piece by the newest revision, in a wrapper by the one before", () => {
    const created = { resultType: "task", ...task };
    expect(newest.encode.result("tools/call", created, server)).toMatchObject(created);
    expect(previous.encode.result("tools/call", created, server)).toEqual({ task: plain });
  });

  it("has its result inside in the newest revision, and apart from it in the one before", () => {
    const detailed = { ...task, result };
    const inside = { ...detailed, result: { resultType: "complete", ...result } };
    expect(newest.encode.result("tasks/get", detailed, server)).toMatchObject({
      ...inside,
      resultType: "complete",
    });
    expect(newest.encode.params("notifications/tasks", detailed)).toEqual(inside);
    expect(previous.encode.result("tasks/get", detailed, server)).toEqual(plain);
    expect(previous.encode.result("tasks/list", { tasks: [detailed] }, server)).toEqual({ tasks: [plain] });
    expect(previous.encode.params("notifications/tasks/status", detailed)).toEqual(plain);
    expect(previous.encode.result("tasks/result", result, server)).toEqual(result);
  });

  it("of a tool that failed has failed only where failing is not kept apart", () => {
    const detailed = { ...task, result: { ...result, isError: true } };
    expect(newest.encode.result("tasks/get", detailed, server).status).toBe("completed");
    expect(previous.encode.result("tasks/get", detailed, server).status).toBe("failed");
  });

  it("that is cancelled is acknowledged by the newest revision, and shown by the one before", () => {
    const cancelled = { ...task, status: "cancelled" };
    const { _meta, ...acknowledged } = newest.encode.result("tasks/cancel", cancelled, server);
    expect(acknowledged).toEqual({ resultType: "complete" });
    expect(previous.encode.result("tasks/cancel", cancelled, server)).toEqual({
      ...plain,
      status: "cancelled",
    });
  });

  it("is read in the words of either", () => {
    expect(readTask({ ...task, result })).toEqual({ ...task, result });
    expect(readTask(plain)).toEqual(task);
    expect(readTask({ ...plain, ttl: null, pollInterval: undefined })).toMatchObject({ ttlMs: null });
    for (const value of [undefined, {}, { taskId: 1, status: "working" }, { taskId: "t", status: "odd" }])
      expect(readTask(value)).toBeUndefined();
  });
});

describe("that a server has tasks", () => {
  const opening = (capabilities: object) => ({ capabilities, serverInfo: server, protocolVersion: "x" });

  it("is said as each revision says it, and not at all to those that have none", () => {
    const given = opening({ tools: {}, extensions: { [extension]: {}, "x.y/z": {} } });
    const tasks = { cancel: {}, requests: { tools: { call: {} } } };
    expect(previous.encode.result("initialize", given, server).capabilities).toEqual({
      tools: {},
      extensions: { "x.y/z": {} },
      tasks,
    });
    expect(older.encode.result("initialize", opening({ extensions: { [extension]: {} } }), server)).toEqual(
      opening({}),
    );
  });

  it("is said of each tool by the one revision that has a word for it", () => {
    const tool = { name: "t", inputSchema: {}, execution: { taskSupport: "optional" } };
    const listed = (revision: typeof newest) =>
      (revision.encode.result("tools/list", { tools: [tool] }, server).tools as object[])[0];
    expect(listed(previous)).toEqual(tool);
    expect(listed(newest)).not.toHaveProperty("execution");
    expect(listed(older)).not.toHaveProperty("execution");
  });
});

describe("that a call is to become a task", () => {
  it("is said where the caller decides", () => {
    const params = { name: "t", task: { ttlMs: 5 } };
    expect(previous.encode.params("tools/call", params)).toEqual({ name: "t", task: { ttl: 5 } });
    expect(newest.encode.params("tools/call", params)).toEqual({ name: "t" });
    expect(older.encode.params("tools/call", params)).toEqual({ name: "t" });
  });
});
