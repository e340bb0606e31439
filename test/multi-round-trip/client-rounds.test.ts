import { requestHandler } from "allspeak/client";
import { describe, expect, test, vi } from "vitest";
import { InvalidResponseError } from "../../src/errors.ts";
import type { ElicitResult } from "../../src/protocol/model/elicitation.ts";
import { failure, openClient } from "../support/open-client.ts";
import { type Answer, discoverServer, silence, type Wire } from "../support/scripted-server.ts";

const done = { resultType: "complete", content: [{ type: "text", text: "done" }] };
const schema = { type: "object", properties: { name: { type: "string" } } };
const form = {
  method: "elicitation/create",
  params: { mode: "form", message: "Who?", requestedSchema: schema },
};
const thought = { method: "sampling/createMessage", params: { messages: [], maxTokens: 1 } };
const places = { method: "roots/list" };

const elicit = async (): Promise<ElicitResult> => ({ action: "accept", content: { name: "Ada" } });
const sample = async () => ({ role: "assistant", content: { type: "text", text: "4" }, model: "m" }) as const;

/** A server that asks what `rounds` say, one after the other, and then is done. */
function asking(rounds: readonly Wire[], method = "tools/call", result: object = done) {
  let round = 0;
  const answer: Answer = () => rounds[round++] ?? result;
  return discoverServer({ script: { [method]: answer, ping: () => ({}) } });
}

const input = (members: object) => ({ resultType: "input_required", ...members });

describe("a result that asks for input", () => {
  test("is answered by the handlers, and the call is made again", async () => {
    const inputRequests = { who: form, sum: thought, where: places };
    const server = asking([input({ inputRequests, requestState: "opaque é \u0000 state" })]);
    const client = await openClient(server, { elicit, sample, roots: ["file:///home"] });
    expect(await client.tools.call("book", { seats: 2 })).toMatchObject(done);

    const [first, second] = server.line.received.filter(({ method }) => method === "tools/call");
    expect(second.id).not.toBe(first.id);
    expect(first.params).not.toHaveProperty("requestState");
    expect(second.params).toEqual({
      ...first.params,
      _meta: { ...first.params._meta, progressToken: second.id },
      requestState: "opaque é \u0000 state",
      inputResponses: {
        who: { action: "accept", content: { name: "Ada" } },
        sum: { role: "assistant", content: { type: "text", text: "4" }, model: "m" },
        where: { roots: [{ uri: "file:///home" }] },
      },
    });
  });

  test("is answered on prompts and resources as well", async () => {
    const prompts = asking([input({ inputRequests: { who: form } })], "prompts/get", { messages: [] });
    const client = await openClient(prompts, { elicit });
    expect(await client.prompts.get("review")).toMatchObject({ messages: [] });
    const resources = asking([input({ inputRequests: { who: form } })], "resources/read", { contents: [] });
    const other = await openClient(resources, { elicit });
    expect(await other.resources.read("file:///x")).toMatchObject({ contents: [] });
    expect(resources.line.paramsOf("resources/read")[1].inputResponses).toHaveProperty("who");
  });

  test("is refused where it asks by a custom method", async () => {
    let asked = 0;
    const onRequest = { "acme/ask": requestHandler({}, () => ({ count: ++asked })) };
    const server = asking([input({ inputRequests: { who: { method: "acme/ask", params: {} } } })]);
    const client = await openClient(server, { elicit, onRequest });
    expect(await failure(client.tools.call("book"))).toBeInstanceOf(InvalidResponseError);
    expect(asked).toBe(0);
    expect(server.line.paramsOf("tools/call")).toHaveLength(1);
  });

  test("asks everything at the same time", async () => {
    const server = asking([input({ inputRequests: { a: form, b: form } })]);
    let asked = 0;
    let answer: (result: ElicitResult) => void = () => {};
    const both = new Promise<ElicitResult>((resolve) => {
      answer = resolve;
    });
    const client = await openClient(server, {
      elicit: () => {
        if (++asked === 2) answer({ action: "decline" });
        return both;
      },
    });
    expect(await client.tools.call("x")).toMatchObject(done);
  });

  test("may come again and again, each time with its own state", async () => {
    const server = asking([
      input({ inputRequests: { one: form }, requestState: "A" }),
      input({ inputRequests: { two: form } }),
      input({ requestState: "C" }),
    ]);
    const client = await openClient(server, { elicit });
    await client.tools.call("x");
    const sent = server.line.paramsOf("tools/call").map(({ requestState, inputResponses }) => ({
      requestState,
      keys: inputResponses && Object.keys(inputResponses),
    }));
    expect(sent).toEqual([
      { requestState: undefined, keys: undefined },
      { requestState: "A", keys: ["one"] },
      { requestState: undefined, keys: ["two"] },
      { requestState: "C", keys: undefined },
    ]);
  });

  test("sixteen times is enough", async () => {
    const server = discoverServer({ script: { "tools/call": () => input({ requestState: "again" }) } });
    const client = await openClient(server);
    expect(await failure(client.tools.call("x"))).toBeInstanceOf(InvalidResponseError);
    expect(server.line.paramsOf("tools/call").length).toBe(17);
  });

  test("keeps its state out of other calls", async () => {
    const server = asking([input({ requestState: "mine" })]);
    const client = await openClient(server);
    await Promise.all([client.tools.call("a"), client.tools.call("b")]);
    const withState = server.line.paramsOf("tools/call").filter(({ requestState }) => requestState);
    expect(withState).toMatchObject([{ name: "a", requestState: "mine" }]);
  });

  test("is returned as it is when the caller wants to answer", async () => {
    const unfinished = input({ inputRequests: { who: form }, requestState: "s" });
    const server = asking([unfinished]);
    const client = await openClient(server, { elicit });
    const params = { name: "x", arguments: {} };
    expect(await client.request("tools/call", params, { rounds: "manual" })).toEqual(unfinished);
    expect(await client.request("tools/call", { ...params, requestState: "s" })).toMatchObject(done);
  });

  test("without a result type is complete, whatever else it has", async () => {
    const server = asking([{ content: [], inputRequests: { who: form } }]);
    const client = await openClient(server, { elicit });
    expect(await client.tools.call("x")).toMatchObject({ content: [] });
    expect(server.line.paramsOf("tools/call").length).toBe(1);
  });
});

describe("a result that asks badly", () => {
  test.each<[string, object]>([
    ["for nothing", {}],
    ["with a state that is no string", { requestState: 7 }],
    ["with questions that are no object", { inputRequests: [form] }],
    ["with a question that is none", { inputRequests: { a: null } }],
    ["with params that are no object", { inputRequests: { a: { ...form, params: "x" } } }],
    ["for what was not declared", { inputRequests: { a: thought } }],
    ["for what is no question", { inputRequests: { a: { method: "tools/call", params: { name: "x" } } } }],
    ["for a bad form", { inputRequests: { a: { method: "elicitation/create", params: { message: "?" } } } }],
    [
      "too much at once",
      { inputRequests: Object.fromEntries(Array.from({ length: 65 }, (_, n) => [n, form])) },
    ],
  ])("%s fails the call", async (_, members) => {
    const handler = vi.fn(elicit);
    const server = asking([input(members)]);
    const client = await openClient(server, { elicit: handler });
    expect(await failure(client.tools.call("x"))).toBeInstanceOf(InvalidResponseError);
    expect(server.line.paramsOf("tools/call").length).toBe(1);
    expect(handler).not.toHaveBeenCalled();
  });

  test("keys of every kind are just keys", async () => {
    const inputRequests = JSON.parse(
      `{"__proto__": ${JSON.stringify(form)}, "constructor": ${JSON.stringify(form)}}`,
    );
    const server = asking([input({ inputRequests })]);
    const client = await openClient(server, { elicit });
    await client.tools.call("x");
    expect(Object.keys(server.line.paramsOf("tools/call")[1].inputResponses)).toEqual([
      "__proto__",
      "constructor",
    ]);
    expect(({} as { action?: unknown }).action).toBeUndefined();
  });
});

describe("a handler in the middle of a call", () => {
  test("that throws fails the call with what it threw and its name, and the others are told to stop", async () => {
    const server = asking([input({ inputRequests: { a: form, b: thought } })]);
    let stopped = false;
    const client = await openClient(server, {
      elicit: () => {
        throw new Error("no screen");
      },
      sample: (_, { signal }) => {
        signal.addEventListener("abort", () => {
          stopped = true;
        });
        return new Promise(() => {});
      },
    });
    expect(await failure(client.tools.call("x"))).toMatchObject({
      message: "elicit handler: no screen",
      cause: { message: "no screen" },
    });
    expect(stopped).toBe(true);
  });

  test("does not keep a cancelled call waiting", async () => {
    const abort = new AbortController();
    const server = asking([input({ inputRequests: { a: form } }), silence]);
    const client = await openClient(server, {
      elicit: () => {
        abort.abort("closed the window");
        return new Promise(() => {});
      },
    });
    const error = await failure(client.tools.call("x", {}, { signal: abort.signal }));
    expect(error).toMatchObject({ code: "cancelled", message: expect.stringContaining("closed the window") });
    expect(server.line.paramsOf("tools/call").length).toBe(1);
  });
});
