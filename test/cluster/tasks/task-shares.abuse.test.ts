import { createServer, tool } from "allspeak";
import { connect } from "allspeak/client";
import { TaskRunner } from "allspeak/tasks";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { entries, open } from "../../support/http/entries.ts";
import { askNewest, callNewest } from "../../support/http/stateless-request.ts";
import { hurry } from "../../support/hurry.ts";
import { sharedMemory } from "../../support/shared-state.ts";

const capabilities = { extensions: { "io.modelcontextprotocol/tasks": {} }, elicitation: {} };
const attacker = "203.0.113.66";
const hour = 3_600_000;

/** One caller may store a sixteenth: 16 KiB. */
const maxTaskChars = 256 * 1024;

function createWorks(runs = true) {
  const input = { text: z.string() };
  return createServer({
    name: "works",
    version: "1",
    log: () => {},
    tasks: { run: runs },
    tools: [
      tool("take", { task: "required", input }, () => "done"),
      tool("keep", { task: "required", input, ttlMs: 4 * hour }, () => "done"),
      tool("give", { task: "required", input: { chars: z.number() } }, ({ chars }) => "x".repeat(chars)),
      tool("once", { task: "required", input: { times: z.number() } }, async ({ times }, ctx) => {
        for (let n = 0; n < times; n++) await ctx.once(`part ${n}`, () => "x".repeat(2_000));
        return "done";
      }),
      tool("ask", { task: "optional" }, async (_, ctx) => {
        const { action } = await ctx.elicit("who", "Who?", z.object({ name: z.string() }));
        return action;
      }),
    ],
  });
}

describe("the share of a caller in the tasks of a store that nodes share", () => {
  async function serve(runs = true) {
    const [entry] = entries;
    if (entry === undefined) throw new Error("There is no way to serve.");
    const state = sharedMemory({ maxTaskChars });
    const openOne = () => open(entry, createWorks(runs), { state: { ...state }, trustProxy: 1 });
    const urls = [(await openOne()).url, (await openOne()).url];
    let requests = 0;
    const ask = async (method: string, params: object, from: string) => {
      const url = urls[requests++ % urls.length] ?? "";
      const name = (params as { taskId?: string }).taskId;
      const headers = { "x-forwarded-for": from, ...(name && { "mcp-name": name }) };
      return askNewest(url, method, params, { capabilities, headers });
    };
    const start = async (name: string, args: object, from = attacker) => {
      const answer = await ask("tools/call", { name, arguments: args }, from);
      const { result } = await answer.json();
      return { status: answer.status, taskId: result?.taskId as string };
    };
    const until = async (taskId: string, wanted: string) => {
      for (;;) {
        const { result } = await (await ask("tasks/get", { taskId }, attacker)).json();
        if (result.status === wanted) return;
      }
    };
    return { state, ask, start, until };
  }

  const text = "x".repeat(3_000);

  it("is counted at all nodes together; beyond it the caller is refused, and nobody else", async () => {
    const { start } = await serve();
    const statuses: number[] = [];
    for (let n = 0; n < 8; n++) statuses.push((await start("take", { text })).status);
    expect(statuses).toEqual([200, 200, 200, 200, 503, 503, 503, 503]);
    expect((await start("take", { text: "" })).status).toBe(503);
    expect((await start("take", { text }, "203.0.113.1")).status).toBe(200);
  });

  it("counts a task for each hour that it lives", async () => {
    const { start } = await serve();
    expect((await start("keep", { text })).status).toBe(200);
    expect((await start("keep", { text })).status).toBe(503);
  });

  it("counts results, which are stored nevertheless", async () => {
    const { start, until } = await serve();
    const { taskId } = await start("give", { chars: 20_000 });
    await until(taskId, "completed");
    expect((await start("take", { text: "" })).status).toBe(503);
    expect((await start("take", { text: "" }, "203.0.113.1")).status).toBe(200);
  });

  it("counts the results of ctx.once, each of them once", async () => {
    const { start, until } = await serve();
    const { taskId } = await start("once", { times: 4 });
    await until(taskId, "completed");
    expect((await start("take", { text: "" })).status).toBe(200);
    const another = await start("once", { times: 6 });
    await until(another.taskId, "completed");
    expect((await start("take", { text: "" })).status).toBe(503);
  });

  it("counts results of a worker in another process", async () => {
    const { state, start, until } = await serve(false);
    const runner = new TaskRunner(createWorks(), { state: { ...state } });
    onTestFinished(() => runner.close());
    const { taskId } = await start("give", { chars: 20_000 });
    await until(taskId, "completed");
    expect((await start("take", { text: "" })).status).toBe(503);
  });

  it("counts answers, and refuses those that are too large", async () => {
    const { ask, start, until } = await serve();
    const { taskId } = await start("ask", {});
    await until(taskId, "input_required");
    const { result } = await (await ask("tasks/get", { taskId }, attacker)).json();
    const [key = ""] = Object.keys(result.inputRequests);
    const answer = async (name: string) => {
      const inputResponses = { [key]: { action: "accept", content: { name } } };
      return (await ask("tasks/update", { taskId, inputResponses }, attacker)).status;
    };
    expect(await answer("x".repeat(20_000))).toBe(503);
    await until(taskId, "input_required");
  });
});

it("an answer for which there is no room ends the question, and not the hope for the task's end", async () => {
  hurry();
  const [entry] = entries;
  if (entry === undefined) throw new Error("There is no way to serve.");
  const { url } = await open(entry, createWorks(), { state: sharedMemory({ maxTaskChars }) });
  let asked = 0;
  const client = await connect(url, {
    revisions: ["2025-11-25"],
    tasks: true,
    elicit: () => {
      asked++;
      return { action: "accept", content: { name: "x".repeat(20_000) } };
    },
  });
  onTestFinished(() => client.close());
  await expect(client.tools.call("ask", {}, { task: true })).rejects.toThrow(/can't store more/);
  expect(asked).toBe(1);
});

describe("calls without a task", () => {
  it("go on for a caller whose share of tasks is used up", async () => {
    const [entry] = entries;
    if (entry === undefined) throw new Error("There is no way to serve.");
    const server = createServer({
      name: "both",
      version: "1",
      log: () => {},
      tools: [
        tool("take", { task: "required", input: { text: z.string() } }, () => "done"),
        tool("plain", {}, () => "plain"),
      ],
    });
    const { url } = await open(entry, server, { state: sharedMemory({ maxTaskChars: 1_600 }) });
    const take = () => callNewest(url, "take", { text: "x".repeat(200) }, { capabilities });
    expect((await take()).status).toBe(503);
    expect((await callNewest(url, "plain")).status).toBe(200);
  });
});
