import { createServer, inputRequired, UsageError } from "allspeak";
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
  const form = { message: "Name?", requestedSchema: { type: "object", properties: {} } };
  const page = { mode: "url", message: "Pay", url: "https://pay.example" };

  it("asks only for what the client declared, mode by mode", async () => {
    expect(await call(form, { elicitation: {} })).toMatchObject({ result: { resultType: "input_required" } });
    expect(await call(form, {})).toMatchObject({ error: { code: -32021 } });
    expect(await call(page, { elicitation: {} })).toMatchObject({
      error: { code: -32021, data: { requiredCapabilities: { elicitation: { url: {} } } } },
    });
  });

  it("can't carry a state that is not a string", () => {
    const state = { step: 1 } as never;
    expect(() => inputRequired({}, state)).toThrow(UsageError);
    expect(() => inputRequired({}, state)).toThrow(
      "The state of inputRequired takes a string, not an object",
    );
  });

  it("that a client could not read is the author's mistake", async () => {
    expect(await call({}, { elicitation: {} })).toMatchObject({ error: { code: -32603 } });
  });

  it("names every capability that the client lacks for it", async () => {
    const server = make();
    const messages = [{ role: "user", content: { type: "text", text: "?" } }];
    server.tool("t", {}, () =>
      inputRequired({
        a: { method: "elicitation/create", params: page },
        b: { method: "sampling/createMessage", params: { messages, maxTokens: 1 } },
        c: { method: "roots/list" },
      }),
    );
    expect(await openRaw(server).ask("tools/call", alone({ name: "t" }, { roots: {} }))).toMatchObject({
      error: { code: -32021, data: { requiredCapabilities: { elicitation: { url: {} }, sampling: {} } } },
    });
  });

  it("is an error where there are no rounds", async () => {
    const client = openRaw(ask({}));
    await client.initialize("2025-11-25", { elicitation: {} });
    expect(await client.ask("tools/call", { name: "t" })).toMatchObject({ error: { code: -32603 } });
  });
});
