import { createServer, tool } from "allspeak";
import { memoryState } from "allspeak/http";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { entries, open } from "../../support/http/entries.ts";
import { askNewest, callNewest } from "../../support/http/stateless-request.ts";

const capabilities = { extensions: { "io.modelcontextprotocol/tasks": {} }, elicitation: {} };
const attacker = "203.0.113.66";

const short = tool("short", { task: "required" }, () => "done");
const open1 = tool(
  "asking",
  { task: "required" },
  async (_, ctx) => (await ctx.elicit("who", "Who?", z.object({ name: z.string() }))).action,
);

describe.each(entries)("B3: shares of kept tasks, $name", (entry) => {
  async function serve(limits: { readonly maxTasks: number }) {
    const server = createServer({ name: "s", version: "1", log: () => {}, tools: [short, open1] });
    const { url } = await open(entry, server, { state: memoryState(limits), trustProxy: 1 });
    const start = async (name: string, address: string) => {
      const answer = await callNewest(
        url,
        name,
        {},
        { capabilities, headers: { "x-forwarded-for": address } },
      );
      const { result, error } = await answer.json();
      return { status: answer.status, taskId: result?.taskId as string, error };
    };
    const status = async (taskId: string) => {
      const options = { capabilities, headers: { "mcp-name": taskId } };
      const { result, error } = await (await askNewest(url, "tasks/get", { taskId }, options)).json();
      return (result?.status ?? error.code) as string | number;
    };
    const until = async (taskId: string, wanted: string) => {
      while ((await status(taskId)) !== wanted) await new Promise((resolve) => setImmediate(resolve));
    };
    return { start, status, until };
  }

  it("short tasks of one address beyond the room for them push out its own, oldest first, and nobody else's", async () => {
    const { start, status, until } = await serve({ maxTasks: 8 });
    const honest = await start("short", "203.0.113.1");
    await until(honest.taskId, "completed");
    const flood = [];
    for (let n = 0; n < 20; n++) {
      const { taskId } = await start("short", attacker);
      await until(taskId, "completed");
      flood.push(taskId);
    }
    expect(await status(honest.taskId)).toBe("completed");
    expect((await start("short", "203.0.113.2")).status).toBe(200);
    const kept = await Promise.all(flood.map(status));
    expect(kept.filter((one) => one === "completed")).toHaveLength(6);
    expect(kept.slice(-6)).toEqual(Array(6).fill("completed"));
  });

  it("unfinished tasks of the largest holder make room for somebody with fewer, and for nobody else", async () => {
    const { start, status, until } = await serve({ maxTasks: 4 });
    const waiting = [];
    for (let n = 0; n < 4; n++) {
      const { taskId } = await start("asking", attacker);
      await until(taskId, "input_required");
      waiting.push(taskId);
    }
    const refused = await start("asking", attacker);
    expect([refused.status, refused.error.code]).toEqual([503, 503]);
    const honest = await start("short", "203.0.113.1");
    expect(honest.status).toBe(200);
    await until(honest.taskId, "completed");
    expect(await Promise.all(waiting.map(status))).toEqual([-32602, ...Array(3).fill("input_required")]);
  });
});
