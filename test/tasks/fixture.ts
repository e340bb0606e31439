import { createServer, RpcError, type ServerOptions, ToolError, tool } from "allspeak";
import { z } from "zod";
import { alone, type RawClient, type Wire } from "../support/raw-client.ts";

export const extension = "io.modelcontextprotocol/tasks";
export const withTasks = { extensions: { [extension]: {} }, elicitation: {}, sampling: {} };

/** A gate that a handler waits at until the test opens it. */
export class Gate {
  readonly opened: Promise<void>;
  readonly reached: Promise<AbortSignal>;
  open: () => void = () => {};
  #reach: (signal: AbortSignal) => void = () => {};

  constructor() {
    this.opened = new Promise((resolve) => {
      this.open = resolve;
    });
    this.reached = new Promise((resolve) => {
      this.#reach = resolve;
    });
  }

  /** Waits for the gate, or for the signal. */
  async pass(signal: AbortSignal): Promise<void> {
    this.#reach(signal);
    const aborted = new Promise<never>((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
    await Promise.race([this.opened, aborted]);
  }
}

const name = z.object({ name: z.string().min(2) });

export function taskServer(gate: Gate = new Gate(), options: Partial<ServerOptions> = {}) {
  const once: string[] = [];
  const server = createServer({
    name: "works",
    version: "1.0.0",
    log: () => {},
    ...options,
    tools: [
      tool("plain", {}, () => "plain"),
      tool("dig", { task: "optional", input: { depth: z.number() }, pollIntervalMs: 20 }, ({ depth }) => {
        return `dug ${depth}`;
      }),
      tool("long", { task: "optional", pollIntervalMs: 20, ttlMs: 60_000 }, async (_, ctx) => {
        await ctx.task?.status("on it");
        await ctx.progress(1, 2, "half");
        await gate.pass(ctx.signal);
        await ctx.progress(2, 2, "all");
        return `long ${ctx.task?.id ?? "call"}`;
      }),
      tool("must", { task: "required", pollIntervalMs: 20 }, () => {
        throw new ToolError("no luck");
      }),
      tool("breaks", { task: "optional", pollIntervalMs: 20 }, () => {
        throw new RpcError(-32050, "broken", { part: 1 });
      }),
      tool("greets", { task: "optional", pollIntervalMs: 20 }, async (_, ctx) => {
        once.push("began");
        const begun = await ctx.once("begin", () => {
          once.push("once");
          return once.length;
        });
        const [first, last] = await Promise.all([
          ctx.elicit("first", "First name?", name),
          ctx.elicit("last", "Last name?", name),
        ]);
        return `${begun} ${first.content?.name} ${last.content?.name}`;
      }),
      tool("asks-first", { task: "required", detaches: true, pollIntervalMs: 20 }, async (_, ctx) => {
        const who = await ctx.elicit("who", "Who?", name);
        await ctx.detach();
        return `for ${who.content?.name}, in ${ctx.task ? "a task" : "the call"}`;
      }),
    ],
  });
  return { server, gate, once };
}

/** Polls a task until it is as wanted. */
export async function until(client: RawClient, taskId: unknown, status: string): Promise<Wire> {
  for (;;) {
    const task = await client.result("tasks/get", alone({ taskId }, withTasks));
    if (task.status === status) return task;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
