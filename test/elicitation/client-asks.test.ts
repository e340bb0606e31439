import { describe, expect, test, vi } from "vitest";
import type { ConnectOptions } from "../../src/client.ts";
import { UsageError } from "../../src/errors.ts";
import type { ElicitResult } from "../../src/protocol/model/elicitation.ts";
import type { SamplingResult } from "../../src/protocol/model/sampling.ts";
import { failure, openClient } from "../support/open-client.ts";
import { discoverServer, handshakeServer, type Wire } from "../support/scripted-server.ts";
import { allowViolations } from "../support/wire-schema/wire-check.ts";

const form = {
  message: "Who?",
  requestedSchema: { type: "object", properties: { name: { type: "string" } } },
};
const link = { mode: "url", message: "Log in", url: "https://example.com/login", elicitationId: "e1" };
const question = { messages: [{ role: "user", content: { type: "text", text: "2+2?" } }], maxTokens: 10 };
const reply: SamplingResult = { role: "assistant", content: { type: "text", text: "4" }, model: "m" };

const decline = async (): Promise<ElicitResult> => ({ action: "decline" });
const sample = async (): Promise<SamplingResult> => reply;

/** Connects in a revision and sends one question. */
async function ask(version: string, options: ConnectOptions, method: string, params: object): Promise<Wire> {
  const server = handshakeServer(version);
  await openClient(server, options);
  return server.line.ask("q", method, params);
}

describe("the capabilities that are declared", () => {
  const handlers = { elicit: decline, sample, roots: ["file:///home"] };

  test.each([
    ["2025-11-25", { elicitation: { form: {}, url: {} }, sampling: {}, roots: { listChanged: true } }],
    ["2025-06-18", { elicitation: {}, sampling: {}, roots: { listChanged: true } }],
    ["2025-03-26", { sampling: {}, roots: { listChanged: true } }],
    ["2024-11-05", { sampling: {}, roots: { listChanged: true } }],
  ] as const)("follow from the handlers, in the words of %s", async (version, expected) => {
    const server = handshakeServer(version);
    await openClient(server, { ...handlers, revisions: [version] });
    expect(server.line.paramsOf("initialize")[0].capabilities).toEqual(expected);
  });

  test("follow from the handlers in each request of the newest revision", async () => {
    const server = discoverServer();
    await openClient(server, handlers);
    const [{ _meta }] = server.line.paramsOf("server/discover");
    expect(_meta["io.modelcontextprotocol/clientCapabilities"]).toEqual({
      elicitation: { form: {}, url: {} },
      sampling: {},
      roots: {},
    });
  });

  test.each([
    [undefined, undefined],
    [false, undefined],
    [{}, undefined],
    [{ calls: true }, { "io.modelcontextprotocol/tasks": {} }],
    [true, { "io.modelcontextprotocol/tasks": {} }],
  ])("have the extension of tasks only when it is asked for: %j", async (tasks, extensions) => {
    const server = discoverServer();
    await openClient(server, { tasks });
    const [{ _meta }] = server.line.paramsOf("server/discover");
    expect(_meta["io.modelcontextprotocol/clientCapabilities"].extensions).toEqual(extensions);
  });

  test("are those that the host adds, too", async () => {
    const server = handshakeServer("2025-11-25");
    await openClient(server, {
      sample,
      elicit: decline,
      capabilities: {
        experimental: { "acme/x": {} },
        extensions: { "io.acme/y": { z: 1 } },
        sampling: { tools: {} },
        elicitation: { url: {} },
      },
    });
    expect(server.line.paramsOf("initialize")[0].capabilities).toEqual({
      experimental: { "acme/x": {} },
      extensions: { "io.acme/y": { z: 1 } },
      sampling: { tools: {} },
      elicitation: { url: {} },
    });
  });

  test("without a handler are a mistake of the host", async () => {
    const error = await failure(openClient(discoverServer(), { capabilities: { sampling: {} } }));
    expect(error).toBeInstanceOf(UsageError);
  });
});

describe("questions that may not be asked", () => {
  test.each(["elicitation/create", "sampling/createMessage", "roots/list"])(
    "%s is unknown to a client that did not declare it",
    async (method) => {
      expect(await ask("2025-11-25", {}, method, {})).toMatchObject({ error: { code: -32601 } });
    },
  );

  test("elicitation is unknown where the revision has none", async () => {
    const options: ConnectOptions = { elicit: decline, revisions: ["2025-03-26"] };
    const response = await ask("2025-03-26", options, "elicitation/create", form);
    expect(response).toMatchObject({ error: { code: -32601 } });
  });

  test("what was declared is answered, though an older revision was agreed on", async () => {
    const response = await ask("2025-03-26", { elicit: decline }, "elicitation/create", form);
    expect(response.result).toEqual({ action: "decline" });
    const url = await ask("2025-06-18", { elicit: decline }, "elicitation/create", link);
    expect(url.result).toEqual({ action: "decline" });
    const toolUse = { type: "tool_use", id: "1", name: "add", input: {} } as const;
    const options = {
      sample: () => ({ ...reply, content: toolUse }),
      capabilities: { sampling: { tools: {} } },
    };
    const params = { ...question, tools: [] };
    const sampled = await ask("2025-06-18", options, "sampling/createMessage", params);
    expect(sampled.result.content).toEqual(toolUse);
    allowViolations(
      "this revision has no tool_use, and the answer is to a question with tools",
      /"tool_use"/,
    );
  });

  test.each([
    [
      "a URL where only forms are declared",
      { capabilities: { elicitation: { form: {} } } },
      link,
      "2025-11-25",
    ],
    [
      "a form where only URLs are declared",
      { capabilities: { elicitation: { url: {} } } },
      form,
      "2025-11-25",
    ],
    [
      "a URL where the revision has none",
      { revisions: ["2025-06-18"] } as ConnectOptions,
      link,
      "2025-06-18",
    ],
    ["an unknown mode", {}, { ...form, mode: "voice" }, "2025-11-25"],
    ["a form without a schema", {}, { message: "Who?" }, "2025-11-25"],
    ["a question without a message", {}, { requestedSchema: form.requestedSchema }, "2025-11-25"],
  ])("%s is refused, and the user is not asked", async (_, options, params, version) => {
    const elicit = vi.fn(decline);
    const response = await ask(version, { ...options, elicit }, "elicitation/create", params);
    expect(response).toMatchObject({ error: { code: -32602 } });
    expect(elicit).not.toHaveBeenCalled();
  });

  test.each([
    "javascript:alert(1)",
    "file:///etc/passwd",
    "data:text/html,x",
    "vscode://x",
    "not a url",
    "",
    undefined,
  ])("the URL %j is refused, and the user does not see it", async (url) => {
    const elicit = vi.fn(decline);
    const response = await ask("2025-11-25", { elicit }, "elicitation/create", { ...link, url });
    expect(response).toMatchObject({ error: { code: -32602 } });
    expect(elicit).not.toHaveBeenCalled();
  });

  test("a schema that can't be checked safely is refused, and the user is not asked", async () => {
    const elicit = vi.fn(decline);
    const requestedSchema = { type: "object", properties: { a: { $ref: "https://evil.example/schema" } } };
    const response = await ask("2025-11-25", { elicit }, "elicitation/create", { ...form, requestedSchema });
    expect(response).toMatchObject({ error: { code: -32602 } });
    expect(elicit).not.toHaveBeenCalled();
  });

  test("sampling with tools is refused unless it is declared", async () => {
    const withTools = { ...question, tools: [{ name: "add", inputSchema: { type: "object" } }] };
    const refused = await ask("2025-11-25", { sample }, "sampling/createMessage", withTools);
    expect(refused).toMatchObject({ error: { code: -32602 } });
    const options = { sample, capabilities: { sampling: { tools: {} } } };
    const answered = await ask("2025-11-25", options, "sampling/createMessage", withTools);
    expect(answered).toMatchObject({ result: reply });
  });

  test("a client's own methods can't be turned around", async () => {
    expect(await ask("2025-11-25", {}, "tools/list", {})).toMatchObject({ error: { code: -32601 } });
  });
});

describe("asking the user", () => {
  test("the handler learns what is asked, by whom", async () => {
    const elicit = vi.fn(decline);
    await ask("2025-06-18", { elicit }, "elicitation/create", form);
    expect(elicit).toHaveBeenCalledWith(
      { ...form, mode: "form" },
      { server: { name: "scripted", version: "1" }, signal: expect.any(AbortSignal) },
    );
  });

  test("accepted content is completed with the schema's defaults", async () => {
    const requestedSchema = {
      type: "object",
      properties: {
        name: { type: "string", default: "John" },
        age: { type: "integer", default: 30 },
        verified: { type: "boolean", default: true },
      },
      required: ["name", "age"],
    };
    const elicit = async (): Promise<ElicitResult> => ({ action: "accept", content: { age: 7 } });
    const response = await ask("2025-11-25", { elicit }, "elicitation/create", {
      message: "?",
      requestedSchema,
    });
    expect(response.result).toEqual({ action: "accept", content: { name: "John", age: 7, verified: true } });
  });

  test("accepting without content accepts the defaults", async () => {
    const requestedSchema = { type: "object", properties: { name: { type: "string", default: "John" } } };
    const elicit = async (): Promise<ElicitResult> => ({ action: "accept" });
    const response = await ask("2025-11-25", { elicit }, "elicitation/create", {
      message: "?",
      requestedSchema,
    });
    expect(response.result).toEqual({ action: "accept", content: { name: "John" } });
  });

  test("content that does not fit the schema is not sent; the host is told", async () => {
    const problems: string[] = [];
    const options: ConnectOptions = {
      elicit: () => ({ action: "accept", content: { name: 42 } }),
      onProblem: ({ message }) => problems.push(message),
    };
    const response = await ask("2025-11-25", options, "elicitation/create", form);
    expect(response).toMatchObject({ error: { code: -32603, message: couldNot("elicitation/create") } });
    expect(problems).toEqual([expect.stringMatching(/^elicit handler: .*name/)]);
  });

  test("content that the form does not ask for is not sent; the host is told", async () => {
    const problems: string[] = [];
    const options: ConnectOptions = {
      elicit: () => ({ action: "accept", content: { name: "Ann", password: "hunter2" } }),
      onProblem: ({ message }) => problems.push(message),
    };
    const response = await ask("2025-11-25", options, "elicitation/create", form);
    expect(response).toMatchObject({ error: { code: -32603, message: couldNot("elicitation/create") } });
    expect(problems).toEqual([
      'elicit handler: the content has "password", which is not a field of the form (name).',
    ]);
  });

  test.each(["decline", "cancel"] as const)("%s passes, and no content with it", async (action) => {
    const elicit = async (): Promise<ElicitResult> => ({ action, content: { name: "typed and deleted" } });
    expect((await ask("2025-11-25", { elicit }, "elicitation/create", form)).result).toEqual({ action });
  });

  test("a URL reaches the handler whole, and its answer has no content", async () => {
    const elicit = vi.fn(async (): Promise<ElicitResult> => ({ action: "accept", content: { x: 1 } }));
    const response = await ask("2025-11-25", { elicit }, "elicitation/create", link);
    expect(response.result).toEqual({ action: "accept" });
    expect(elicit).toHaveBeenCalledWith(link, expect.anything());
  });

  test("an answer without an action is a mistake of the host", async () => {
    const problems: Error[] = [];
    const elicit = (() => "yes") as unknown as ConnectOptions["elicit"];
    const options = { ...(elicit && { elicit }), onProblem: (problem: Error) => problems.push(problem) };
    expect(await ask("2025-11-25", options, "elicitation/create", form)).toMatchObject({
      error: { code: -32603, message: couldNot("elicitation/create") },
    });
    expect(problems[0]).toBeInstanceOf(UsageError);
    expect(problems[0]?.message).toMatch(/^elicit handler: .*"accept", "decline" or "cancel"/);
  });

  test("a handler learns that the server no longer waits", async () => {
    const server = handshakeServer("2025-11-25");
    let stopped: () => void = () => {};
    const stop = new Promise<void>((resolve) => {
      stopped = resolve;
    });
    await openClient(server, {
      elicit: (_, { signal }) => {
        signal.addEventListener("abort", () => stopped());
        server.line.notify("notifications/cancelled", { requestId: "q" });
        return new Promise(() => {});
      },
    });
    server.line.send({ id: "q", method: "elicitation/create", params: form });
    await stop;
  });
});

function couldNot(method: string): string {
  return `The client could not answer ${method}.`;
}
