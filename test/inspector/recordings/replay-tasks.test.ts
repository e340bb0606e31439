import { randomUUID } from "node:crypto";
import { createServer, tool } from "allspeak";
import { expect, test } from "vitest";
import { z } from "zod";
import type { JsonObject } from "../../../src/lib/json.ts";
import { openPage, type Page } from "../support/page.ts";

/** A server whose only tool is a task that asks. */
function createPlanner(word: string) {
  const person = z.object({ name: z.string() });
  const plan = tool("plan", { task: "required", pollIntervalMs: 1 }, async (_args, ctx) => {
    await ctx.task?.status("thinking");
    const answer = await ctx.elicit("who", "For whom?", person);
    return answer.action === "accept" ? `${word} ${answer.content.name}` : answer.action;
  });
  return createServer({ name: "planner", version: "1.0.0", log: () => {}, tools: [plan] });
}

async function openPlanners(revision: string) {
  const servers = { planner: { target: createPlanner("for") }, changed: { target: createPlanner("from") } };
  const { page } = await openPage({ servers });
  const open = async (name: string) => {
    const target = { kind: "offered", name } as const;
    return (await page.send("connect", { target, options: { revisions: [revision] } })).connection.id;
  };
  const [connection, changed] = [await open("planner"), await open("changed")];
  await page.send("list-tools", { connection });
  return { page, changed, call: { connection, name: "plan", arguments: {} } };
}

function replay(page: Page, recording: string, connection: string) {
  return page.send("replay-recording", { recording, target: { kind: "connection", connection } });
}

test.each(["2025-11-25", "2026-07-28"])(
  "a replay in %s waits for a task, and finds no difference in its ids, times and states",
  async (revision) => {
    const { page, call, changed } = await openPlanners(revision);
    const called = page.send("call-tool", call);
    const { question } = await page.next("question");
    const result = { action: "accept", content: { name: "Ada" } } as const;
    await page.send("answer", { question: question.id, answer: { kind: "form", result } });
    expect((await called).result.content).toMatchObject([{ text: "for Ada" }]);
    const { recording } = await page.send("save-recording", { connection: call.connection, name: "planned" });

    const same = await replay(page, recording.id, call.connection);
    expect(same.comparison).toMatchObject({ different: 0 });
    expect(same.comparison.pairs.map(({ method }) => method)).toEqual(["tools/list", "tools/call"]);
    expect(same.answered).toBe(1);
    const { comparison } = await replay(page, recording.id, changed);
    expect(comparison.pairs.at(-1)).toMatchObject({
      name: "plan",
      differences: [{ path: "/content/0/text", left: "for Ada", right: "from Ada" }],
    });
  },
);

test("a replay does not repeat a call whose task was cancelled", async () => {
  const { page, call } = await openPlanners("2026-07-28");
  const called = page.send("call-tool", call).catch((error: Error) => error);
  const { task } = await page.next("task");
  await page.next("question");
  await page.send("cancel-task", { connection: call.connection, task: task.taskId });
  expect(await called).toBeInstanceOf(Error);
  const { recording } = await page.send("save-recording", { connection: call.connection, name: "given up" });
  const { comparison } = await replay(page, recording.id, call.connection);
  expect(comparison.pairs.map(({ method }) => method)).toEqual(["tools/list"]);
});

test("a replay gives a server the ids that it has handed out itself", async () => {
  const createShop = () => {
    const ids = new Set<string>();
    const server = createServer({ name: "shop", version: "1.0.0" });
    server.method("acme/begin", {}, () => {
      const taskId = randomUUID();
      ids.add(taskId);
      return { taskId };
    });
    server.method("acme/look", { params: z.object({ taskId: z.string() }) }, ({ taskId }) => ({
      isKnown: ids.has(taskId),
    }));
    return server;
  };
  const servers = { shop: { target: createShop() }, other: { target: createShop() } };
  const { page } = await openPage({ servers });
  const target = { kind: "offered", name: "shop" } as const;
  const { connection } = await page.send("connect", { target });
  const send = (method: string, params: JsonObject) =>
    page.send("send-request", { connection: connection.id, method, params });
  const { taskId } = (await send("acme/begin", {})).result as { taskId: string };
  await send("acme/look", { taskId });
  const { recording } = await page.send("save-recording", { connection: connection.id, name: "ids" });
  const { comparison } = await page.send("replay-recording", {
    recording: recording.id,
    target: { kind: "offered", name: "other" },
  });
  expect(comparison).toMatchObject({ same: 2, different: 0 });
});

test("two recordings of one task are the same", async () => {
  const { page, call } = await openPlanners("2026-07-28");
  const recordings: string[] = [];
  for (const name of ["first", "second"]) {
    const called = page.send("call-tool", call);
    const { question } = await page.next("question");
    await page.send("answer", {
      question: question.id,
      answer: { kind: "form", result: { action: "decline" } },
    });
    const { wire: between } = await called;
    const { recording } = await page.send("save-recording", {
      connection: call.connection,
      name,
      ...(between && { between }),
    });
    recordings.push(recording.id);
  }
  const [left = "", right = ""] = recordings;
  const { comparison } = await page.send("compare-recordings", { left, right });
  expect(comparison).toMatchObject({ same: 1, different: 0 });
});
