import { type Context, createServer, isSuspension, type LogEntry, tool } from "allspeak";
import { connect } from "allspeak/client";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { z } from "zod";
import { turns } from "../support/turns.ts";

const said = z.object({ said: z.string() });
const revisions = ["2025-11-25", "2026-07-28"] as const;

/** A tool, called by a client that answers every form with its message. */
async function open(revision: (typeof revisions)[number], body: (ctx: Context) => unknown) {
  const asked: string[] = [];
  const log: LogEntry[] = [];
  const asking = tool("asking", {}, async (_, ctx) => String(await body(ctx)));
  const server = createServer({ name: "s", version: "1", tools: [asking], log: (entry) => log.push(entry) });
  const client = await connect(server, {
    revisions: [revision],
    elicit: ({ message }) => {
      asked.push(message);
      return { action: "accept", content: { said: message } };
    },
  });
  onTestFinished(() => client.close());
  const finish = async () => {
    const { content, isError } = await client.tools.call("asking");
    return { isError: isError ?? false, text: content[0]?.type === "text" ? content[0].text : "" };
  };
  return { asked, log, finish };
}

async function ask(ctx: Context, message: string): Promise<string> {
  return (await ctx.elicit(message, message, said)).content?.said ?? "nothing";
}

afterEach(() => vi.useRealTimers());

describe.each(revisions)("%s", (revision) => {
  it("a handler may change what once gave it, and the next run gets it as it was", async () => {
    const { finish } = await open(revision, async (ctx) => {
      const cart = await ctx.once<string[]>("cart", () => []);
      cart.push("apple");
      await ask(ctx, "a");
      await ask(ctx, "b");
      return cart;
    });
    expect(await finish()).toEqual({ isError: false, text: "apple" });
  });

  it("an answer whose check takes its time is not asked for again", async () => {
    const slowly = z.object({
      said: z.string().refine(async () => {
        await turns(10);
        return true;
      }),
    });
    const { finish, asked } = await open(revision, async (ctx) =>
      Promise.all([
        ctx.elicit("slow", "slow", slowly).then(({ content }) => content?.said),
        ask(ctx, "a").then(() => ask(ctx, "b")),
      ]),
    );
    expect((await finish()).text).toBe("slow,b");
    expect(asked).toEqual(["slow", "a", "b"]);
  });

  it("the first of several questions to be answered may be enough", async () => {
    const { finish } = await open(revision, (ctx) => Promise.any([ask(ctx, "a"), ask(ctx, "b")]));
    expect(await finish()).toEqual({ isError: false, text: "a" });
  });

  it("a question within once is refused, with the name of both", async () => {
    const { finish, log } = await open(revision, (ctx) => ctx.once("k", () => ask(ctx, "a")));
    const text = 'ctx.once("k") asks the client; ask before or after ctx.once, never inside it.';
    expect(await finish()).toEqual({ isError: true, text });
    expect(log).toMatchObject([{ cause: { code: "replay", reason: "within-once" } }]);
  });

  it("what is done once may do other things once", async () => {
    let inner = 0;
    const { finish } = await open(revision, async (ctx) => {
      const done = await ctx.once("outer", () => ctx.once("inner", () => ++inner));
      return [done, await ask(ctx, "a"), inner];
    });
    expect((await finish()).text).toBe("1,a,1");
  });
});

it("a call that can't end, since what it does once waits for its question, fails after a while", async () => {
  const { finish, log } = await open("2026-07-28", (ctx) =>
    ctx.once("k", async () => {
      await Promise.resolve();
      return ask(ctx, "a");
    }),
  );
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const finishing = finish();
  while (vi.getTimerCount() < 2) await new Promise((resolve) => setImmediate(resolve));
  await vi.advanceTimersByTimeAsync(10);
  await vi.advanceTimersByTimeAsync(60_000);
  expect((await finishing).text).toMatch(
    /^ctx\.once has run for a minute while the question "a" waits for it; /,
  );
  expect(log).toMatchObject([{ cause: { code: "replay", reason: "within-once" } }]);
});

it("a suspension is known among several errors, and among errors that lead to each other", () => {
  const one: Error = new Error("one");
  const other = new AggregateError([one, new Error("third")], "other", { cause: one });
  one.cause = other;
  expect(isSuspension(other)).toBe(false);
});
