import { describe, expect, test, vi } from "vitest";
import type { ConnectOptions } from "../../src/client.ts";
import { RpcError, UsageError } from "../../src/errors.ts";
import type { ElicitResult } from "../../src/protocol/model/elicitation.ts";
import type { SamplingResult } from "../../src/protocol/model/sampling.ts";
import { openClient } from "../support/open-client.ts";
import { discoverServer, handshakeServer, type Wire } from "../support/scripted-server.ts";

const question = { messages: [{ role: "user", content: { type: "text", text: "2+2?" } }], maxTokens: 10 };
const reply: SamplingResult = { role: "assistant", content: { type: "text", text: "4" }, model: "m" };

const _decline = async (): Promise<ElicitResult> => ({ action: "decline" });
const sample = async (): Promise<SamplingResult> => reply;

/** Connects in a revision and sends one question. */
async function ask(version: string, options: ConnectOptions, method: string, params: object): Promise<Wire> {
  const server = handshakeServer(version);
  await openClient(server, options);
  return server.line.ask("q", method, params);
}

describe("asking the model", () => {
  test("the request reaches the handler and its answer the server", async () => {
    const handler = vi.fn(sample);
    const response = await ask("2025-11-25", { sample: handler }, "sampling/createMessage", question);
    expect(response.result).toEqual(reply);
    expect(handler.mock.calls[0]).toMatchObject([question, { server: { name: "scripted" } }]);
  });

  test("several texts become one where a message has one block", async () => {
    const content = [
      { type: "text", text: "4" },
      { type: "text", text: "!" },
    ] as const;
    const options = { sample: async () => ({ ...reply, content }) };
    const older = await ask("2025-06-18", options, "sampling/createMessage", question);
    expect(older.result.content).toEqual({ type: "text", text: "4!" });
    const newer = await ask("2025-11-25", options, "sampling/createMessage", question);
    expect(newer.result.content).toEqual(content);
  });

  const image = { type: "image", data: "AA==", mimeType: "image/png" } as const;
  const audio = { type: "audio", data: "AA==", mimeType: "audio/wav" } as const;
  const toolUse = { type: "tool_use", id: "1", name: "add", input: {} } as const;

  test.each([
    ["2024-11-05", audio, "audio content does not exist in revision 2024-11-05."],
    ["2025-06-18", toolUse, "tool_use content does not exist in revision 2025-06-18."],
    [
      "2025-03-26",
      [image, { type: "text", text: "4" }],
      "an answer has one block of content in revision 2025-03-26",
    ],
  ] as const)("an answer that %s can't carry is a mistake of the host", async (version, content, problem) => {
    const problems: Error[] = [];
    const options: ConnectOptions = {
      sample: () => ({ ...reply, content }),
      onProblem: (error) => problems.push(error),
    };
    const response = await ask(version, options, "sampling/createMessage", question);
    expect(response.error).toEqual({ code: -32603, message: couldNot("sampling/createMessage") });
    expect(problems[0]).toBeInstanceOf(UsageError);
    expect(problems[0]?.message).toContain(problem);
  });

  test.each([
    ["2025-03-26", audio],
    ["2025-11-25", toolUse],
    ["2025-11-25", [image, toolUse]],
  ] as const)("an answer that %s has is sent as it is", async (version, content) => {
    const response = await ask(
      version,
      { sample: () => ({ ...reply, content }) },
      "sampling/createMessage",
      question,
    );
    expect(response.result.content).toEqual(content);
  });

  test("members of content that an older revision lacks are left out", async () => {
    const content = {
      ...image,
      _meta: { x: 1 },
      annotations: { lastModified: "2026-01-01T00:00:00Z", priority: 1 },
    };
    const options = { sample: () => ({ ...reply, content }) };
    const response = await ask("2025-03-26", options, "sampling/createMessage", question);
    expect(response.result.content).toEqual({ ...image, annotations: { priority: 1 } });
  });

  test.each([
    ["no model", { model: undefined }],
    ["another role", { role: "system" }],
    ["no content", { content: undefined }],
    ["an image without data", { content: { type: "image" } }],
  ])("an answer with %s does not reach the server", async (_, change) => {
    const problems: Error[] = [];
    const options: ConnectOptions = {
      sample: () => ({ ...reply, ...change }) as unknown as SamplingResult,
      onProblem: (error) => problems.push(error),
    };
    const response = await ask("2025-11-25", options, "sampling/createMessage", question);
    expect(response.error.code).toBe(-32603);
    expect(problems[0]).toBeInstanceOf(UsageError);
  });

  test("what a handler throws stays here; the server learns that it failed", async () => {
    const problems: string[] = [];
    const options: ConnectOptions = {
      sample: () => {
        throw new Error("api key expired");
      },
      onProblem: ({ message }) => problems.push(message),
    };
    const response = await ask("2025-11-25", options, "sampling/createMessage", question);
    expect(response.error).toEqual({ code: -32603, message: couldNot("sampling/createMessage") });
    expect(problems).toEqual(["sample handler: api key expired"]);
  });

  test("an answer that is no message is a mistake of the host", async () => {
    const problems: Error[] = [];
    const options: ConnectOptions = {
      sample: (() => "4") as unknown as typeof sample,
      onProblem: (problem) => problems.push(problem),
    };
    const response = await ask("2025-11-25", options, "sampling/createMessage", question);
    expect(response.error).toEqual({ code: -32603, message: couldNot("sampling/createMessage") });
    expect(problems[0]).toBeInstanceOf(UsageError);
    expect(problems[0]?.message).toMatch(/^sample handler: .*role, content and model/);
  });
});

describe("a host that refuses to sample", () => {
  const refusal = () => {
    throw new RpcError(-1, "User rejected sampling request");
  };

  test("chooses the error that the server gets, and nothing is reported", async () => {
    const onProblem = vi.fn();
    const response = await ask(
      "2025-11-25",
      { sample: refusal, onProblem },
      "sampling/createMessage",
      question,
    );
    expect(response.error).toEqual({ code: -1, message: "User rejected sampling request" });
    expect(onProblem).not.toHaveBeenCalled();
  });

  test("gets its own refusal from the call, where the server asks by its result", async () => {
    const asks = {
      resultType: "input_required",
      inputRequests: { q: { method: "sampling/createMessage", params: question } },
    };
    const server = discoverServer({ script: { "tools/call": () => asks } });
    const client = await openClient(server, { sample: refusal });
    await expect(client.tools.call("t")).rejects.toMatchObject({
      code: "rpc",
      wireCode: -1,
      message: "User rejected sampling request",
    });
  });

  test("does not pass on what another server said", async () => {
    const upstream = () => {
      throw new RpcError(-32000, "the password is hunter2", undefined, { isReceived: true });
    };
    const response = await ask(
      "2025-11-25",
      { sample: upstream, onProblem: () => {} },
      "sampling/createMessage",
      question,
    );
    expect(response.error).toEqual({ code: -32603, message: couldNot("sampling/createMessage") });
  });
});

const toolUse = (id: string) => ({ type: "tool_use", id, name: "add", input: {} });
const toolResult = (toolUseId: string) => ({ type: "tool_result", toolUseId, content: [] });
const text = { type: "text", text: "and?" };
const assistant = (...content: object[]) => ({ role: "assistant", content });
const user = (...content: object[]) => ({ role: "user", content });

describe("a conversation with tools", () => {
  const withTools: ConnectOptions = { sample, capabilities: { sampling: { tools: {} } } };

  test.each([
    [
      "results mixed with text",
      [assistant(toolUse("a")), user(toolResult("a"), text)],
      /^Tool results mixed/,
    ],
    [
      "a missing result",
      [assistant(toolUse("a"), toolUse("b")), user(toolResult("a"))],
      /^Tool result missing.*"b"/,
    ],
    ["a use that is last", [user(text), assistant(toolUse("a"))], /^Tool result missing/],
    [
      "a text before the result",
      [assistant(toolUse("a")), user(text), user(toolResult("a"))],
      /^Tool result missing/,
    ],
    ["a result of no use", [user(toolResult("a"))], /^Tool result "a" follows no tool use/],
    ["a result of the assistant", [assistant(toolUse("a")), assistant(toolResult("a"))], /of the user/],
  ])("with %s is refused, and the host is not asked", async (_, messages, problem) => {
    const handler = vi.fn(sample);
    const params = { messages, maxTokens: 10 };
    const response = await ask(
      "2025-11-25",
      { ...withTools, sample: handler },
      "sampling/createMessage",
      params,
    );
    expect(response.error).toMatchObject({ code: -32602, message: expect.stringMatching(problem) });
    expect(handler).not.toHaveBeenCalled();
  });

  test("that is balanced reaches the host", async () => {
    const messages = [
      user(text),
      assistant(text, toolUse("a"), toolUse("b")),
      user(toolResult("b"), toolResult("a")),
      user(text),
    ];
    const response = await ask("2025-11-25", withTools, "sampling/createMessage", {
      messages,
      maxTokens: 10,
    });
    expect(response.result).toEqual(reply);
  });

  test("is refused without the capability, even if it lends no tools", async () => {
    const messages = [assistant(toolUse("a")), user(toolResult("a"))];
    const response = await ask("2025-11-25", { sample }, "sampling/createMessage", {
      messages,
      maxTokens: 10,
    });
    expect(response.error).toMatchObject({ code: -32602 });
  });
});

describe("the wish for context", () => {
  test.each([
    ["2025-11-25", {}, undefined],
    ["2025-11-25", { context: {} }, "thisServer"],
    ["2025-06-18", {}, "thisServer"],
  ] as const)("in %s with the capability %j reaches the host as %s", async (version, sampling, expected) => {
    const handler = vi.fn(sample);
    const params = { ...question, includeContext: "thisServer" };
    await ask(version, { sample: handler, capabilities: { sampling } }, "sampling/createMessage", params);
    expect(handler).toHaveBeenCalledWith(expect.objectContaining({ maxTokens: 10 }), expect.anything());
    const [[asked] = []] = handler.mock.calls as unknown as [{ includeContext?: string }][];
    expect(asked?.includeContext).toBe(expected);
  });
});

function couldNot(method: string): string {
  return `The client could not answer ${method}.`;
}
