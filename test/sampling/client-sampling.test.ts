import { describe, expect, test, vi } from "vitest";
import type { ConnectOptions } from "../../src/client.ts";
import { UsageError } from "../../src/errors.ts";
import type { ElicitResult } from "../../src/protocol/model/elicitation.ts";
import type { SamplingResult } from "../../src/protocol/model/sampling.ts";
import { openClient } from "../support/open-client.ts";
import { handshakeServer, type Wire } from "../support/scripted-server.ts";

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

  test("an answer of several blocks is cut to one where a message has one", async () => {
    const blocks: SamplingResult = {
      ...reply,
      content: [
        { type: "text", text: "4" },
        { type: "text", text: "!" },
      ],
    };
    const options = { sample: async () => blocks };
    const older = await ask("2025-06-18", options, "sampling/createMessage", question);
    expect(older.result.content).toEqual({ type: "text", text: "4" });
    const newer = await ask("2025-11-25", options, "sampling/createMessage", question);
    expect(newer.result.content).toEqual(blocks.content);
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

function couldNot(method: string): string {
  return `The client could not answer ${method}.`;
}
