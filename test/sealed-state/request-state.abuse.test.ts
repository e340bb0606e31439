import { randomBytes } from "node:crypto";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import {
  createServer,
  type Principal,
  prompt,
  resource,
  type Server,
  type ServerOptions,
  tool,
} from "allspeak";
import { createFetchHandler, type HttpOptions, memoryState } from "allspeak/http";
import { afterEach, describe, expect, it, vi } from "vitest";
import { entries, open } from "../support/http/entries.ts";
import { askNewest } from "../support/http/stateless-request.ts";
import { allAsks, type Outcome, sendTo, toRequest } from "../support/manual-rounds.ts";

const secret = () => randomBytes(32).toString("base64");
const secrets = [secret()];
const amount = { type: "object", properties: { amount: { type: "integer" } } } as const;
const sure = { type: "object", properties: { sure: { type: "boolean" } } } as const;
const yes = { sure: { action: "accept", content: { sure: true } } };

const people: Record<string, Principal> = {
  alice: { issuer: "https://issuer.example", subject: "alice", client: "app" },
  bob: { issuer: "https://issuer.example", subject: "bob", client: "app" },
  "alice-elsewhere": { issuer: "https://other.example", subject: "alice", client: "app" },
};
const http: HttpOptions = {
  identify: (request) => people[request.header("authorization") ?? ""],
};

/** A bank whose every handler asks before it pays; `ran` tells which were begun. */
function createBank(options: Partial<ServerOptions> = {}) {
  const ran: string[] = [];
  const paid: string[] = [];
  const ask = async (what: string, ctx: Parameters<Parameters<typeof tool>[2]>[1]) => {
    ran.push(what);
    const answer = await ctx.elicit("sure", "Sure?", sure);
    return ctx.once("pay", () => {
      paid.push(what);
      return `${what}: ${answer.action}`;
    });
  };
  const pay = tool("pay", { description: "Pays", input: amount }, (_args, ctx) => ask("pay", ctx));
  const refund = tool("refund", { description: "Refunds", input: amount }, (_args, ctx) =>
    ask("refund", ctx),
  );
  const ticket = tool("ticket", { description: "Once only", singleUse: true }, (_args, ctx) =>
    ask("ticket", ctx),
  );
  const silent = tool("silent", { description: "Never asks" }, () => String(ran.push("silent")));
  const advice = prompt("pay", { description: "Advises" }, (_args, ctx) => ask("advice", ctx));
  const account = resource("bank://account", { name: "account" }, (_none, ctx) => ask("account", ctx));
  const other = resource("bank://other", { name: "other" }, (_none, ctx) => ask("other", ctx));
  const server = createServer({
    name: "bank",
    version: "1",
    tools: [pay, refund, ticket, silent],
    prompts: [advice],
    resources: [account, other],
    secrets,
    log: () => {},
    ...options,
  });
  return { server, ran, paid };
}

interface Request {
  readonly method: string;
  readonly params: object;
  readonly as?: string;
}

const payTen: Request = {
  method: "tools/call",
  params: { name: "pay", arguments: { amount: 10 } },
  as: "alice",
};

function send(
  server: Server<unknown>,
  { method, params, as }: Request,
  round: object = {},
): Promise<Outcome> {
  return sendTo(server, method, { ...params, ...round }, { http, ...(as !== undefined && { as }) });
}

/** A state that a first round has given out. */
async function stateOf(server: Server<unknown>, request: Request): Promise<string> {
  const { result } = await send(server, request);
  expect(result.resultType).toBe("input_required");
  return result.requestState;
}

afterEach(() => vi.useRealTimers());

describe("a state that is brought where it does not belong is refused, and nothing runs", () => {
  const elsewhere: [string, Request][] = [
    ["by another principal", { ...payTen, as: "bob" }],
    ["by a principal of another issuer", { ...payTen, as: "alice-elsewhere" }],
    ["by nobody", { ...payTen, as: "" }],
    ["to another tool", { ...payTen, params: { name: "refund", arguments: { amount: 10 } } }],
    ["to a tool that never asks", { ...payTen, params: { name: "silent" } }],
    ["with other arguments", { ...payTen, params: { name: "pay", arguments: { amount: 1_000_000 } } }],
    ["with more arguments", { ...payTen, params: { name: "pay", arguments: { amount: 10, to: "me" } } }],
    ["without arguments", { ...payTen, params: { name: "pay" } }],
    ["to the prompt of the same name", { ...payTen, method: "prompts/get", params: { name: "pay" } }],
    ["to a resource", { ...payTen, method: "resources/read", params: { uri: "bank://account" } }],
  ];

  it.each(elsewhere)("%s", async (_how, request) => {
    const { server, ran, paid } = createBank();
    const requestState = await stateOf(server, payTen);
    const { error } = await send(server, request, { inputResponses: yes, requestState });
    expect(error).toMatchObject({ code: -32602 });
    expect([ran, paid]).toEqual([["pay"], []]);
    // Where it belongs it is still good.
    expect((await send(server, payTen, { inputResponses: yes, requestState })).result).toMatchObject({
      content: [{ text: "pay: accept" }],
    });
  });

  it("between two resources", async () => {
    const { server, ran } = createBank();
    const read = (uri: string): Request => ({ method: "resources/read", params: { uri } });
    const [one, other] = [read("bank://account"), read("bank://other")];
    const states = [await stateOf(server, one), await stateOf(server, other)];
    for (const [index, request] of [other, one].entries()) {
      const round = { inputResponses: yes, requestState: states[index] };
      expect((await send(server, request, round)).error).toMatchObject({ code: -32602 });
    }
    expect(ran).toEqual(["account", "other"]);
  });

  it("though arguments may come in any order", async () => {
    const { server } = createBank();
    const call = (args: object): Request => ({ ...payTen, params: { name: "pay", arguments: args } });
    const requestState = await stateOf(server, call({ amount: 10, note: { a: 1, b: 2 } }));
    const { result } = await send(server, call({ note: { b: 2, a: 1 }, amount: 10 }), {
      inputResponses: yes,
      requestState,
    });
    expect(result).toMatchObject({ content: [{ text: "pay: accept" }] });
  });
});

describe("what is no state of this server is refused, and nothing runs", () => {
  it.each([
    ["nothing", ""],
    ["a word", "round one"],
    ["beyond ASCII", "\u0441\u0442\u0430\u0442\u0443\u0441 \ud800"],
    ["a megabyte", "A".repeat(1024 ** 2)],
    ["a number", 1],
    ["an object", { journal: {} }],
    ["a list", ["x"]],
    ["null", null],
  ])("%s", async (_what, requestState) => {
    const { server, ran } = createBank();
    const { error } = await send(server, payTen, { inputResponses: yes, requestState });
    expect(error).toMatchObject({ code: -32602 });
    expect(ran).toEqual([]);
  });

  it("with a byte of it changed, wherever", async () => {
    const { server, ran } = createBank();
    const handle = createFetchHandler(server, http);
    const bytes = Buffer.from(await stateOf(server, payTen), "base64url");
    for (let at = 0; at < bytes.length; at += 3) {
      const changed = Buffer.from(bytes);
      changed[at] = (bytes[at] as number) ^ (1 << (at % 8));
      const round = { inputResponses: yes, requestState: changed.toString("base64url") };
      const request = toRequest("tools/call", { ...payTen.params, ...round }, "alice");
      expect(await (await handle(request)).json()).toMatchObject({ error: { code: -32602 } });
    }
    await handle.close(0);
    expect(ran).toEqual(["pay"]);
  });

  it("of a server with other secrets, or with none given", async () => {
    for (const given of [[secret()], undefined]) {
      const stranger = createBank({ secrets: given });
      const requestState = await stateOf(stranger.server, payTen);
      const { server, ran } = createBank();
      const { error } = await send(server, payTen, { inputResponses: yes, requestState });
      expect(error).toMatchObject({ code: -32602 });
      expect(ran).toEqual([]);
    }
  });

  it("of a key that was removed, though an older one opens until then", async () => {
    const [older, newer] = [secret(), secret()];
    const before = createBank({ secrets: [older] });
    const requestState = await stateOf(before.server, payTen);
    const round = { inputResponses: yes, requestState };
    const after = createBank({ secrets: [newer] });
    expect((await send(after.server, payTen, round)).error).toMatchObject({ code: -32602 });
    expect(after.ran).toEqual([]);
    const during = createBank({ secrets: [newer, older] });
    expect((await send(during.server, payTen, round)).result).toMatchObject({
      content: [{ text: "pay: accept" }],
    });
  });
});

describe("a state that is brought too late or too often", () => {
  it("is refused after ten minutes, and nothing runs", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const { server, ran, paid } = createBank();
    const requestState = await stateOf(server, payTen);
    const round = { inputResponses: yes, requestState };
    vi.advanceTimersByTime(600_000 - 1);
    expect((await send(server, payTen, round)).result).toMatchObject({ content: [{ text: "pay: accept" }] });
    vi.advanceTimersByTime(1);
    expect((await send(server, payTen, round)).error).toMatchObject({ code: -32602 });
    expect([ran, paid]).toEqual([["pay", "pay"], ["pay"]]);
  });

  it("is refused the second time where it is good for once, on whichever node", async () => {
    const state = memoryState();
    const nodes = Array.from({ length: 10 }, () => createBank({ state }));
    const ticket: Request = { method: "tools/call", params: { name: "ticket" } };
    const requestState = await stateOf((nodes[0] as (typeof nodes)[0]).server, ticket);
    const round = { inputResponses: yes, requestState };
    const outcomes = await Promise.all(
      nodes.map(({ server }) =>
        sendTo(server, ticket.method, { ...ticket.params, ...round }, { http: { state } }),
      ),
    );
    expect(outcomes.filter(({ result }) => result !== undefined)).toHaveLength(1);
    expect(outcomes.filter(({ error }) => error?.code === -32602)).toHaveLength(9);
    expect(nodes.flatMap(({ paid }) => paid)).toEqual(["ticket"]);
  });
});

describe.each(entries)("two people at one endpoint, $name", (entry) => {
  it("can't go on with each other's calls", async () => {
    const { server, ran, paid } = createBank();
    const { url } = await open(entry, server, http);
    const call = async (as: string, round: object = {}): Promise<Outcome> => {
      const options = { headers: { authorization: as }, capabilities: allAsks };
      return (await askNewest(url, "tools/call", { ...payTen.params, ...round }, options)).result();
    };
    const [hers, his] = await Promise.all([call("alice"), call("bob")]);
    const stolen = await Promise.all([
      call("bob", { inputResponses: yes, requestState: hers.result.requestState }),
      call("alice", { inputResponses: yes, requestState: his.result.requestState }),
    ]);
    for (const { error } of stolen) expect(error).toMatchObject({ code: -32602 });
    expect([ran, paid]).toEqual([["pay", "pay"], []]);
    const own = await call("alice", { inputResponses: yes, requestState: hers.result.requestState });
    expect(own.result).toMatchObject({ content: [{ text: "pay: accept" }] });
  });
});

describe("a thousand calls that wait for answers", () => {
  it("cost the server no memory, and all go on", async () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const { server, paid } = createBank();
    const handle = createFetchHandler(server, { ...http, limits: false });
    const call = async (index: number, round: object = {}): Promise<Outcome> => {
      const params = { name: "pay", arguments: { amount: index }, ...round };
      return (await handle(toRequest("tools/call", params, "alice"))).json() as Promise<Outcome>;
    };
    const heap = async (): Promise<number> => {
      await new Promise((resolve) => setImmediate(resolve));
      for (let times = 0; times < 3; times++) collect();
      return process.memoryUsage().heapUsed;
    };
    // The states are the client's to keep, so here they are kept outside of the heap.
    const suspend = async (count: number): Promise<Buffer[]> => {
      const outcomes = await Promise.all(Array.from({ length: count }, (_, index) => call(index)));
      return outcomes.map(({ result }) => Buffer.from(result.requestState));
    };

    await suspend(1_000);
    const before = await heap();
    const states = await suspend(1_000);
    const growth = (await heap()) - before;
    expect(growth / 1_000).toBeLessThan(1_024);

    const outcomes = await Promise.all(
      states.map((state, index) => call(index, { inputResponses: yes, requestState: state.toString() })),
    );
    expect(outcomes.filter(({ result }) => result?.content?.[0]?.text === "pay: accept")).toHaveLength(1_000);
    expect(paid).toHaveLength(1_000);
    await handle.close(0);
  }, 60_000);
});

describe("a client that answers at great length", () => {
  it("can't make the server keep more than it has room for, and takes no room from others", async () => {
    const state = memoryState({ maxValueChars: 2_000_000 });
    const { server } = createTalk();
    const talk: Request = { method: "tools/call", params: { name: "talk" } };
    const go = (round: object) =>
      sendTo(server, talk.method, { ...talk.params, ...round }, { http: { state } });
    const { requestState } = (await go({})).result;
    const outcomes: Outcome[] = [];
    for (let times = 0; times < 10; times++) {
      const text = randomBytes(300_000).toString("base64");
      const inputResponses = { story: { action: "accept", content: { text } } };
      outcomes.push(await go({ inputResponses, requestState }));
    }
    const kept = outcomes.filter(({ result }) => result?.resultType === "input_required");
    expect(kept.length).toBeGreaterThan(1);
    expect(kept.length).toBeLessThan(5);
    for (const { error } of outcomes.slice(kept.length)) expect(error).toMatchObject({ code: 503 });

    const modest = {
      inputResponses: { story: { action: "accept", content: { text: "short" } } },
      requestState,
    };
    expect((await go(modest)).result).toMatchObject({ resultType: "input_required" });
  });

  it("takes no room from another who has one long answer", async () => {
    const state = memoryState({ maxValueChars: 4_000_000 });
    const { server } = createTalk();
    const go = (as: string, round: object) =>
      sendTo(server, "tools/call", { name: "talk", ...round }, { as, http: { ...http, state } });
    const answerAtLength = async (as: string) => {
      const { requestState } = (await go(as, {})).result;
      const text = randomBytes(300_000).toString("base64");
      const inputResponses = { story: { action: "accept", content: { text } } };
      return go(as, { inputResponses, requestState });
    };
    let refused: Outcome["error"];
    while (refused === undefined) refused = (await answerAtLength("bob")).error;
    expect(refused).toMatchObject({ code: 503 });
    expect((await answerAtLength("alice")).result).toMatchObject({ resultType: "input_required" });
  });
});

function createTalk() {
  const story = { type: "object", properties: { text: { type: "string" } } } as const;
  const talk = tool("talk", { description: "Asks twice" }, async (_args, ctx) => {
    await ctx.elicit("story", "What happened?", story);
    await ctx.elicit("more", "And then?", story);
    return "Well.";
  });
  return { server: createServer({ name: "talk", version: "1", tools: [talk], secrets, log: () => {} }) };
}
