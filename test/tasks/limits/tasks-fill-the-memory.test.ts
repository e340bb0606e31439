import { createServer, tool } from "allspeak";
import { memoryState } from "allspeak/http";
import { expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { alone, openRaw } from "../../support/raw-client.ts";
import { until, withTasks } from "../fixture.ts";

const name = z.object({ name: z.string() });

test("calls and answers that become tasks take no more memory than there is for them", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const state = memoryState({ maxTaskChars: 10_000 });
  const ask = tool(
    "ask",
    { task: "optional", input: z.object({ text: z.string() }), ttlMs: 1500 },
    async (_, ctx) => (await ctx.elicit("who", "Who?", name)).content?.name ?? "nobody",
  );
  const client = openRaw(createServer({ name: "s", version: "1", state, log: () => {}, tools: [ask] }));
  const call = (chars: number) =>
    client.ask("tools/call", alone({ name: "ask", arguments: { text: "x".repeat(chars) } }, withTasks));

  const first = (await call(6000)).result as { taskId: string };
  expect((await call(6000)).error).toMatchObject({ code: 503, data: { retryAfterMs: 5000 } });

  const { taskId } = first;
  await until(client, taskId, "input_required");
  const answer = (chars: number) => {
    const inputResponses = { who: { action: "accept", content: { name: "x".repeat(chars) } } };
    return client.ask("tasks/update", alone({ taskId, inputResponses }, withTasks));
  };
  expect((await answer(6000)).error).toMatchObject({ code: 503, data: { retryAfterMs: 5000 } });
  expect((await answer(20)).result).toBeDefined();
  await until(client, taskId, "completed");

  // There is room again once the first is forgotten.
  vi.setSystemTime(Date.now() + 1501);
  expect((await call(6000)).result).toBeDefined();
});
