import { createServer, type Server, tool } from "allspeak";
import { z } from "zod";
import { Counter } from "../counter.ts";
import { Queue } from "../queue.ts";

/** A server whose calls the test holds in its hand. */
export interface Fixture {
  readonly server: Server<unknown>;
  /** Names of `wait` calls, as they begin. */
  readonly started: Queue<string>;
  /** Names of `wait` calls, as they are aborted. */
  readonly aborted: Queue<string>;
  /** What the server reported, which no caller may see. */
  readonly reports: { readonly message: string; readonly cause?: unknown }[];
  /** How many handlers were entered. */
  readonly entered: () => number;
  /** How many handlers are running. */
  readonly running: () => number;
  /** Resolves when no handler is running. */
  readonly idle: () => Promise<void>;
  /** Lets a `wait` call come to its end. */
  release(name: string): void;
}

const text = { text: z.string() };

export function createFixture(): Fixture {
  const started = new Queue<string>();
  const aborted = new Queue<string>();
  const reports: { message: string; cause?: unknown }[] = [];
  const held = new Map<string, () => void>();
  let entered = 0;
  const running = new Counter();

  const wait = tool(
    "wait",
    { input: { name: z.string(), talk: z.boolean().optional(), leave: z.boolean().optional() } },
    async ({ name, talk, leave }, ctx) => {
      const ended = new Promise<string>((resolve) => {
        held.set(name, () => resolve(`released ${name}`));
        ctx.signal.addEventListener("abort", () => {
          aborted.push(name);
          resolve("aborted");
        });
      });
      if (talk) await ctx.progress(1, 2);
      if (leave) ctx.disconnect();
      started.push(name);
      return ended;
    },
  );
  const steps = tool(
    "steps",
    { input: { count: z.number(), pad: z.number().optional() } },
    async ({ count, pad = 0 }, ctx) => {
      for (let step = 1; step <= count; step++) await ctx.progress(step, count, "x".repeat(pad));
      return `${count} steps`;
    },
  );
  const chat = tool("chat", { input: { lines: z.array(z.string()) } }, async ({ lines }, ctx) => {
    for (const line of lines) await ctx.log("info", line);
    return lines.join();
  });
  const big = tool("big", { input: { bytes: z.number() } }, ({ bytes }) => "x".repeat(bytes));
  const ask = tool("ask", {}, async (_, ctx) => {
    const answer = await ctx.elicit("seats", "How many?", z.object({ seats: z.number() }));
    return JSON.stringify(answer);
  });
  const fail = tool("fail", {}, () => {
    throw new Error("secret: hunter2");
  });
  const whoami = tool("whoami", {}, (_, ctx) =>
    JSON.stringify({ revision: ctx.revision, principal: ctx.principal, session: ctx.session?.id }),
  );

  const server = createServer({
    name: "fixture",
    version: "1",
    tools: [tool("echo", { input: text }, (args) => args.text), wait, steps, chat, big, ask, fail, whoami],
    log: (report) => void reports.push(report),
  });
  server.resource("fixture://notes", { name: "notes" }, () => "remember");
  server.tool("touch", "Says that a resource has changed", { uri: z.string() }, ({ uri }) => {
    void server.resources.updated(uri);
    return "touched";
  });
  server.use(async (call, next) => {
    entered++;
    running.add(1);
    try {
      return await next(call);
    } finally {
      running.add(-1);
    }
  });

  return {
    server,
    started,
    aborted,
    reports,
    entered: () => entered,
    running: () => running.value,
    idle: () => running.reached(0),
    release: (name) => held.get(name)?.(),
  };
}
