import type { ElicitRequest, SamplingRequest } from "allspeak";
import { expect, test } from "vitest";
import { callForJson, type Talk } from "./talk.ts";

export function testAsks({ since, official, host, client }: Talk): void {
  const expectNotAsked = async (tool: string, mode: "form" | "url") => {
    expect(await client().tools.call(tool)).toEqual({
      content: [{ type: "text", text: official.cannotAsk(mode) }],
      isError: true,
    });
  };

  test("the user fills in a form, whose defaults are applied, or declines to", async () => {
    if (!since("2025-06-18")) return expectNotAsked("ask-form", "form");
    const asked: ElicitRequest[] = [];
    host.elicit = (ask) => {
      asked.push(ask);
      return asked.length === 1 ? { action: "accept", content: { seats: 2 } } : { action: "decline" };
    };
    const accepted = { action: "accept", content: { seats: 2, name: "nobody" } };
    expect(await callForJson(client(), "ask-form")).toEqual(accepted);
    expect(await callForJson(client(), "ask-form")).toEqual({ action: "decline" });
    expect(asked[0]).toMatchObject({
      mode: "form",
      message: "How many seats?",
      requestedSchema: {
        type: "object",
        properties: { seats: { type: "integer", minimum: 1 }, name: { type: "string", default: "nobody" } },
        required: ["seats"],
      },
    });
  });

  test("the user is asked to visit a page", async () => {
    if (!since("2025-11-25")) return expectNotAsked("ask-visit", "url");
    const asked: ElicitRequest[] = [];
    host.elicit = (ask) => {
      asked.push(ask);
      return { action: "accept" };
    };
    expect(await callForJson(client(), "ask-visit")).toEqual({ action: "accept" });
    expect(asked).toMatchObject([{ mode: "url", message: "Please pay", url: "https://example.com/pay" }]);
  });

  test("the host's model answers", async () => {
    const asked: SamplingRequest[] = [];
    const poem = { role: "assistant", model: "tiny", content: { type: "text", text: "Rain." } } as const;
    host.sample = (ask) => {
      asked.push(ask);
      return poem;
    };
    expect(await callForJson(client(), "ask-model")).toEqual(poem);
    expect(asked).toMatchObject([
      {
        messages: [{ role: "user", content: { type: "text", text: "A poem" } }],
        systemPrompt: "Be brief.",
        maxTokens: 10,
      },
    ]);
  });

  test("our client tells its roots, and that they have changed", async () => {
    expect(await callForJson(client(), "ask-roots")).toEqual({ roots: [{ uri: "file:///home/me" }] });
    await client().setRoots([{ uri: "file:///home/you", name: "you" }]);
    const changed = { roots: [{ uri: "file:///home/you", name: "you" }] };
    expect(await callForJson(client(), "ask-roots")).toEqual(changed);
    // Where each call asks anew there is no word for it.
    expect(await callForJson(client(), "roots-changes")).toBe(since("2026-07-28") ? 0 : 1);
  });
}
