import { expect, test } from "vitest";
import type { Elicitation } from "../official-client.ts";
import type { Talk } from "./talk.ts";

/** What the official clients do with a question is the same, whether it came live or as a round. */
export function testAsks({ revision, since, official }: Talk): void {
  const ask = async (tool: string) => {
    const { content, isError } = await official().call(tool);
    const [{ text }] = content as [{ text: string }];
    return isError ? text : JSON.parse(text);
  };

  test("the user fills in a form, or declines to", async () => {
    if (!since("2025-06-18")) {
      expect(await ask("ask-form")).toBe(
        `Asking "answer" by elicitation/create does not exist in revision ${revision}.`,
      );
      return;
    }
    const { answers } = official();
    const asked: Elicitation[] = [];
    answers.elicit = (elicitation) => {
      asked.push(elicitation);
      return asked.length === 1 ? { action: "accept", content: { seats: 4 } } : { action: "decline" };
    };
    expect(await ask("ask-form")).toEqual({ action: "accept", content: { seats: 4 } });
    expect(await ask("ask-form")).toEqual({ action: "decline" });
    expect(asked[0]).toMatchObject({
      message: "How many seats?",
      requestedSchema: { type: "object", properties: { seats: { type: "integer" } }, required: ["seats"] },
    });
    expect(asked[0]?.mode).toBe(since("2025-11-25") ? "form" : undefined);
  });

  test("the user is asked to visit a page", async () => {
    if (!since("2025-11-25")) {
      expect(await ask("ask-visit")).toBe(
        `Asking the user to visit a URL does not exist in revision ${revision}.`,
      );
      return;
    }
    const asked: Elicitation[] = [];
    official().answers.elicit = (elicitation) => {
      asked.push(elicitation);
      return { action: "accept" };
    };
    expect(await ask("ask-visit")).toEqual({ action: "accept" });
    expect(asked).toMatchObject([{ mode: "url", message: "Please pay", url: "https://example.com/pay" }]);
  });

  test("the client's model answers", async () => {
    const sampled = await ask("ask-model");
    const message = {
      role: "assistant",
      model: "tiny",
      content: { type: "text", text: "1 message, 10 tokens" },
    };
    // Our server adds the text in one piece to what it hands to a handler that asks live.
    expect(sampled).toEqual(since("2026-07-28") ? message : { ...message, text: "1 message, 10 tokens" });
  });

  test("the client tells its roots, and the server hears that they have changed", async () => {
    const { client, answers } = official();
    answers.roots = [{ uri: "file:///home/me", name: "me" }];
    expect(await ask("ask-roots")).toEqual({ roots: [{ uri: "file:///home/me", name: "me" }] });
    answers.roots = [{ uri: "file:///home/you" }];
    // Where each call asks anew there is nothing to tell, and no word for it.
    if (!since("2026-07-28")) await client.sendRootsListChanged();
    expect(await ask("ask-roots")).toEqual({ roots: [{ uri: "file:///home/you" }] });
  });
}
