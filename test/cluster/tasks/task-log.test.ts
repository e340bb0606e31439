import { createServer, tool } from "allspeak";
import type { State } from "allspeak/http";
import { serveHttp } from "allspeak/node";
import { expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import type { EventReader } from "../../support/http/event-reader.ts";
import { openSession, RawSession } from "../../support/http/raw-session.ts";
import { Queue } from "../../support/queue.ts";
import { sharedMemory } from "../../support/shared-state.ts";

const revision = "2025-11-25";

/** A node; only one that `runs` works on tasks. */
async function open(state: State, runs: boolean, gate: Queue<string>) {
  const dig = tool("dig", { task: "required" }, async (_, ctx) => {
    await ctx.log("info", "begun");
    await ctx.log("debug", "nobody asked for this");
    const { content } = await ctx.elicit("depth", "How deep?", z.object({ metres: z.number() }));
    await ctx.progress(1, 2, "half");
    await gate.next();
    await ctx.log("warning", { metres: content?.metres }, "digger");
    return "done";
  });
  const server = createServer({
    name: "dig",
    version: "1",
    tools: [dig],
    tasks: { run: runs },
    log: () => {},
  });
  const running = await serveHttp(server, { state });
  onTestFinished(() => running.close(0));
  return running.url;
}

interface Notification {
  readonly id?: string;
  readonly method?: string;
  readonly params: { readonly level?: string; readonly data?: unknown; readonly progress?: number };
  readonly result?: object;
}

/** The next message that is none of the others that a waiting caller gets. */
async function next(events: EventReader, method: string): Promise<Notification | undefined> {
  for (;;) {
    const message = await events.message<Notification>();
    if (message?.method === method || message?.result !== undefined || message === undefined) return message;
  }
}

it("the log and the progress of a task reach those who wait for it at other nodes, each message once", async () => {
  const state = sharedMemory();
  const gate = new Queue<string>();
  const [a, b, c] = [
    await open(state, true, gate),
    await open(state, false, gate),
    await open(state, false, gate),
  ];
  const session = await openSession(a, revision, { capabilities: { elicitation: {} } });
  const params = { name: "dig", arguments: {}, task: {}, _meta: { progressToken: "p" } };
  const { result } = await (await session.ask("tools/call", params)).result();
  const { taskId } = result.task;
  const at = (url: string) => new RawSession(url, session.id, revision);
  const related = { _meta: { "io.modelcontextprotocol/related-task": { taskId } } };

  const first = (await at(b).ask("tasks/result", { taskId }, { id: "b" })).events();
  expect(await next(first, "notifications/message")).toMatchObject({
    params: { level: "info", data: "begun", ...related },
  });
  const question = await next(first, "elicitation/create");
  await at(c).answer(question?.id, { action: "accept", content: { metres: 7 } });
  expect(await next(first, "notifications/progress")).toMatchObject({
    params: { progressToken: "p", progress: 1, message: "half", ...related },
  });
  const second = (await at(c).ask("tasks/result", { taskId }, { id: "c" })).events();
  expect(await next(second, "notifications/message")).toMatchObject({ params: { data: "begun" } });
  gate.push("go on");
  for (const events of [first, second]) {
    expect(await next(events, "notifications/message")).toMatchObject({
      params: { level: "warning", logger: "digger", data: { metres: 7 }, ...related },
    });
    expect(await next(events, "notifications/message")).toMatchObject({
      result: { content: [{ text: "done" }] },
    });
  }
});
