import { type Context, createServer, isSuspension, type LogEntry, tool } from "allspeak";
import { type Client, connect } from "allspeak/client";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { hurry } from "../support/hurry.ts";
import { turns } from "../support/turns.ts";

const clients: Client[] = [];
const log: LogEntry[] = [];

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  log.length = 0;
});

type Body = (ctx: Context, run: number) => unknown;

interface Opened {
  /** Calls the tool, by hand: one round. */
  call(params?: object): Promise<Record<string, unknown>>;
  /** Calls the tool to its end. */
  finish(): Promise<{ readonly isError: boolean; readonly text: string }>;
  readonly runs: () => number;
}

/** A tool, called by a client that answers every form with `{ said: <message> }`. */
async function open(body: Body, options: { maxRounds?: number; singleUse?: boolean } = {}): Promise<Opened> {
  let runs = 0;
  const { maxRounds, singleUse } = options;
  const asking = tool("asking", { singleUse }, async (_, ctx) => String(await body(ctx, ++runs)));
  const server = createServer({
    name: "s",
    version: "1",
    tools: [asking],
    maxRounds,
    log: (entry) => log.push(entry),
  });
  const client = await connect(server, {
    revisions: ["2026-07-28"],
    elicit: ({ message }) => ({ action: "accept", content: { said: message } }),
  });
  clients.push(client);
  return {
    call: (params) => client.request("tools/call", { name: "asking", ...params }, { rounds: "manual" }),
    finish: async () => {
      const { isError = false, content } = await client.tools.call("asking");
      return { isError, text: content[0]?.type === "text" ? content[0].text : "" };
    },
    runs: () => runs,
  };
}

const said = z.object({ said: z.string() });

async function ask(ctx: Context, message: string): Promise<string> {
  return (await ctx.elicit(message, message, said)).content?.said ?? "nothing";
}

describe("rounds", () => {
  it("questions that are open at the same moment make one round, however they came about", async () => {
    const later = async (ctx: Context) => {
      for (let turn = 0; turn < 10; turn++) await Promise.resolve();
      return ask(ctx, "later");
    };
    const { finish, runs } = await open(async (ctx) => Promise.all([ask(ctx, "now"), later(ctx)]));
    expect((await finish()).text).toBe("now,later");
    expect(runs()).toBe(2);
  });

  it("wait for what is being done once, so that it is known when the handler runs again", async () => {
    let done = 0;
    const slow = async () => {
      await turns(10);
      return ++done;
    };
    const { finish } = await open(async (ctx) => Promise.all([ask(ctx, "a"), ctx.once("slow", slow)]));
    expect((await finish()).text).toBe("a,1");
    expect(done).toBe(1);
  });

  it("are limited", async () => {
    const { finish, runs } = await open(
      async (ctx) => {
        for (;;) await ask(ctx, "again");
      },
      { maxRounds: 3 },
    );
    const { isError, text } = await finish();
    expect(isError).toBe(true);
    expect(text).toMatch(/^The handler asked for more than 3 rounds \(again-4\); /);
    expect(runs()).toBe(4);
    expect(log).toMatchObject([{ cause: { code: "replay", reason: "rounds" } }]);
  });

  it("end with the handler's own result when it does not wait for its question", async () => {
    const { finish, runs } = await open((ctx) => {
      void ask(ctx, "never answered");
      return "done";
    });
    expect(await finish()).toEqual({ isError: false, text: "done" });
    expect(runs()).toBe(1);
  });

  it("put an answer that does not fit again, and take no other key for it", async () => {
    const { call } = await open((ctx) => ask(ctx, "a"));
    const first = await call();
    const { requestState } = first;
    for (const a of [12, null, {}, { action: "maybe" }, { action: "accept", content: { said: 1 } }]) {
      expect(await call({ requestState, inputResponses: { a } })).toMatchObject({
        resultType: "input_required",
        inputRequests: first.inputRequests,
      });
    }
    const right = { action: "accept", content: { said: "yes" } };
    expect(await call({ requestState, inputResponses: { b: right } })).toMatchObject({
      resultType: "input_required",
    });
    expect(await call({ requestState, inputResponses: { a: right, b: 1, __proto__: 2 } })).toMatchObject({
      content: [{ text: "yes" }],
    });
  });

  it("take answers one by one", async () => {
    const { call } = await open(async (ctx) => Promise.all([ask(ctx, "a"), ask(ctx, "b")]));
    const answer = (text: string) => ({ action: "accept", content: { said: text } });
    const first = await call();
    expect(Object.keys(first.inputRequests as object)).toEqual(["a", "b"]);
    const second = await call({ requestState: first.requestState, inputResponses: { b: answer("2") } });
    expect(Object.keys(second.inputRequests as object)).toEqual(["a"]);
    const last = await call({ requestState: second.requestState, inputResponses: { a: answer("1") } });
    expect(last).toMatchObject({ resultType: "complete", content: [{ text: "1,2" }] });
  });

  it("take no answer to a question that a later round puts first", async () => {
    const { call } = await open(async (ctx) => [await ask(ctx, "a"), await ask(ctx, "b")]);
    const answer = { action: "accept", content: { said: "yes" } };
    const { requestState } = await call();
    const second = await call({ requestState, inputResponses: { a: answer, b: answer } });
    expect(Object.keys(second.inputRequests as object)).toEqual(["b"]);
  });
});

describe("a handler that is not the same in every run", () => {
  it("fails loudly when it asks something else under the same name", async () => {
    const { finish } = await open((ctx, run) => ctx.elicit("a", `Question ${run}`, said));
    expect(await finish()).toEqual({
      isError: true,
      text: 'The question "a" changed between rounds; ask the same in every run, and put what varies into ctx.once.',
    });
    expect(log).toMatchObject([{ cause: { code: "replay", reason: "changed" } }]);
  });

  it("fails loudly when it asks under another name", async () => {
    hurry();
    const { finish } = await open((ctx, run) => ctx.elicit(`a${run}`, "Question", said));
    expect((await finish()).text).toMatch(/^The question "a1" of an earlier round was not asked again; /);
  });

  it("may ask what varies when it has it from once", async () => {
    const { finish } = await open(async (ctx, run) => {
      const question = await ctx.once("question", () => `Question ${run}`);
      return (await ctx.elicit("a", question, said)).content?.said;
    });
    expect((await finish()).text).toBe("Question 1");
  });
});

describe("a handler that catches what ends it", () => {
  const swallows: readonly [string, Body][] = [
    [
      "and returns",
      async (ctx) => {
        try {
          return await ask(ctx, "a");
        } catch {
          return "could not ask";
        }
      },
    ],
    [
      "and fails in another way",
      async (ctx) => {
        try {
          return await ask(ctx, "a");
        } catch {
          throw new Error("other");
        }
      },
    ],
    ["by waiting for all to settle", (ctx) => Promise.allSettled([ask(ctx, "a"), ask(ctx, "b")])],
  ];

  it.each(swallows)("%s is told so", async (_, body) => {
    const { finish } = await open(body);
    const { isError, text } = await finish();
    expect(isError).toBe(true);
    expect(text).toMatch(/^The handler caught the error that ends it at the question "a"/);
    expect(log).toMatchObject([{ cause: { code: "replay", reason: "swallowed" } }]);
  });

  it("may throw it again, or wrap it", async () => {
    const { finish } = await open(async (ctx) => {
      try {
        const first = await ask(ctx, "a");
        return [first, await ask(ctx, "b").catch((cause) => Promise.reject(new Error("in b", { cause })))];
      } catch (error) {
        if (isSuspension(error)) throw error;
        return "failed";
      }
    });
    expect((await finish()).text).toBe("a,b");
  });

  it("does not end the process with questions that nobody waits for any more", async () => {
    const { finish } = await open(async (ctx) => {
      const [first, second] = [ask(ctx, "a"), ask(ctx, "b")];
      return [await first, await second];
    });
    expect((await finish()).text).toBe("a,b");
  });
});

describe("once", () => {
  it("gives the first run what a later run gets", async () => {
    const { finish } = await open(async (ctx) => {
      const date = await ctx.once("date", () => new Date(0));
      await ask(ctx, "a");
      return typeof date;
    });
    expect((await finish()).text).toBe("string");
  });

  it("does the same thing once in one run, too, and again what failed", async () => {
    let tries = 0;
    const { finish } = await open(async (ctx) => {
      const failing = () => {
        if (++tries === 1) throw new Error("first");
        return tries;
      };
      await ctx.once("a", failing).catch(() => undefined);
      return Promise.all([ctx.once("a", failing), ctx.once("a", failing)]);
    });
    expect((await finish()).text).toBe("2,2");
  });

  it.each([
    ["a function", () => () => 1],
    ["a symbol", () => Symbol("s")],
    ["a bigint", () => 1n],
  ])("refuses %s as a result", async (_, make) => {
    const { finish } = await open((ctx) => ctx.once("a", make as () => unknown));
    expect((await finish()).isError).toBe(true);
    expect(log).toMatchObject([{ cause: { code: "usage", message: expect.stringContaining('once "a"') } }]);
  });

  it("is not begun by a handler that is being ended", async () => {
    let cleaned = 0;
    const { finish } = await open(async (ctx) => {
      try {
        return await ask(ctx, "a");
      } finally {
        await ctx.once("clean", () => ++cleaned);
      }
    });
    expect((await finish()).text).toBe("a");
    expect(cleaned).toBe(1);
  });
});

describe("single use", () => {
  const answer = { a: { action: "accept", content: { said: "yes" } } };

  it("lets a client go on once from where it was left", async () => {
    const { call, runs } = await open((ctx) => ask(ctx, "a"), { singleUse: true });
    const { requestState } = await call();
    expect(await call({ requestState, inputResponses: answer })).toMatchObject({ resultType: "complete" });
    await expect(call({ requestState, inputResponses: answer })).rejects.toMatchObject({
      wireCode: -32602,
      message: expect.stringContaining("used before"),
    });
    expect(runs()).toBe(2);
  });

  it("is not the default", async () => {
    const { call } = await open((ctx) => ask(ctx, "a"));
    const { requestState } = await call();
    for (let time = 0; time < 2; time++) {
      expect(await call({ requestState, inputResponses: answer })).toMatchObject({ resultType: "complete" });
    }
  });
});

describe("state that was not made for this call", () => {
  it.each(["", "x", "A".repeat(200), "…", 5, null, {}])(
    "is refused before anything runs: %j",
    async (requestState) => {
      const { call, runs } = await open((ctx) => ask(ctx, "a"));
      await expect(call({ requestState })).rejects.toMatchObject({ wireCode: -32602 });
      expect(runs()).toBe(0);
    },
  );

  it("is refused with other arguments", async () => {
    const { call, runs } = await open((ctx) => ask(ctx, "a"));
    const { requestState } = await call({ arguments: {} });
    await expect(call({ requestState, arguments: { a: 1 } })).rejects.toMatchObject({ wireCode: -32602 });
    expect(runs()).toBe(1);
  });
});
