import { createServer, inputRequired } from "allspeak";
import { describe, expect, it } from "vitest";
import { alone, openRaw, type Wire } from "../support/raw-client.ts";

const make = (options = {}) => createServer({ name: "s", version: "1", log: () => {}, ...options });

describe("a result that asks for another round", () => {
  const ask = (params: Wire) => {
    const server = make();
    server.tool("t", {}, () => inputRequired({ k: { method: "elicitation/create", params } }));
    return server;
  };
  const call = (params: Wire, capabilities: Wire) =>
    openRaw(ask(params)).ask("tools/call", alone({ name: "t" }, capabilities));

  it("asks only for what the client declared, mode by mode", async () => {
    expect(await call({}, { elicitation: {} })).toMatchObject({ result: { resultType: "input_required" } });
    expect(await call({}, {})).toMatchObject({ error: { code: -32021 } });
    expect(await call({ mode: "url" }, { elicitation: {} })).toMatchObject({
      error: { code: -32021, data: { requiredCapabilities: { elicitation: { url: {} } } } },
    });
  });

  it("is an error where there are no rounds", async () => {
    const client = openRaw(ask({}));
    await client.initialize("2025-11-25", { elicitation: {} });
    expect(await client.ask("tools/call", { name: "t" })).toMatchObject({ error: { code: -32603 } });
  });
});
