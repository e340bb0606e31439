import { expect, test } from "vitest";
import type { Talk } from "./talk.ts";

export function testPrompts({ since, official }: Talk): void {
  test("the client lists prompts with their arguments", async () => {
    expect(await official().all("prompts/list")).toEqual([
      {
        name: "greet",
        description: "A greeting in a language",
        arguments: [
          { name: "name", description: "Who is greeted", required: true },
          { name: "language", required: false },
        ],
        ...(since("2025-06-18") && { title: "Greet somebody" }),
      },
      { name: "picture", description: "Brings an image" },
    ]);
  });

  test("the client gets a prompt, filled in", async () => {
    const { client } = official();
    const greeting = await client.getPrompt({
      name: "greet",
      arguments: { name: "Ann", language: "english" },
    });
    expect(greeting.messages).toEqual([
      { role: "user", content: { type: "text", text: "Greet Ann in english." } },
    ]);
    const picture = await client.getPrompt({ name: "picture" });
    expect(picture.messages).toEqual([
      { role: "user", content: { type: "image", data: "AQID", mimeType: "image/png" } },
      { role: "assistant", content: { type: "text", text: "I see." } },
    ]);
  });

  test("a prompt that is unknown or lacks an argument is an error", async () => {
    const { client } = official();
    await expect(client.getPrompt({ name: "no-such-prompt" })).rejects.toMatchObject({ code: -32602 });
    await expect(client.getPrompt({ name: "greet" })).rejects.toMatchObject({ code: -32602 });
  });

  test("arguments are completed, with those that are filled in already in mind", async () => {
    const { client } = official();
    const ref = { type: "ref/prompt", name: "greet" } as const;
    const language = await client.complete({ ref, argument: { name: "language", value: "n" } });
    expect(language.completion).toEqual({ values: ["norwegian"], total: 1, hasMore: false });
    // Both generations send the context in every revision, and our server takes it in every revision.
    const name = await client.complete({
      ref,
      argument: { name: "name", value: "A" },
      context: { arguments: { language: "norwegian" } },
    });
    expect(name.completion).toEqual({ values: ["Anne", "Arne"], total: 2, hasMore: false });
  });
}
