import { createServer, tool } from "allspeak";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { failure, openClient } from "../support/open-client.ts";
import { alone, openRaw } from "../support/raw-client.ts";
import { discoverServer, handshakeServer } from "../support/scripted-server.ts";

const unfinished = { resultType: "input_required", inputRequests: {}, content: 5 };

describe("a result that only seems to be unfinished", () => {
  it("is checked as any other where the revision has no rounds", async () => {
    const server = handshakeServer("2025-11-25", { script: { "tools/call": () => unfinished } });
    const client = await openClient(server);
    expect(await failure(client.tools.call("t"))).toMatchObject({ code: "invalid-response" });
  });

  it("is refused as the end of a task", async () => {
    const task = { taskId: "t", createdAt: "", lastUpdatedAt: "", ttlMs: null, pollIntervalMs: 0 };
    const server = discoverServer({
      capabilities: { tools: {}, extensions: { "io.modelcontextprotocol/tasks": {} } },
      script: {
        "tools/call": () => ({ ...task, resultType: "task", status: "working" }),
        "tasks/get": () => ({ ...task, status: "completed", result: unfinished }),
      },
    });
    const client = await openClient(server);
    expect(await failure(client.tools.call("t"))).toMatchObject({ code: "invalid-response" });
  });
});

it("answers that are no object are refused, and nothing runs", async () => {
  let runs = 0;
  const ask = tool("ask", {}, async (_, ctx) => {
    runs++;
    return (await ctx.elicit("who", "Who?", z.object({ name: z.string() }))).action;
  });
  const client = openRaw(createServer({ name: "s", version: "1", tools: [ask] }));
  const call = (round: object) =>
    client.ask("tools/call", alone({ name: "ask", ...round }, { elicitation: {} }));
  for (const inputResponses of [[], [{ who: {} }], "who", 5, true]) {
    expect((await call({ inputResponses })).error).toMatchObject({ code: -32602 });
  }
  expect(runs).toBe(0);
  expect((await call({ inputResponses: null })).result).toMatchObject({ resultType: "input_required" });
});
