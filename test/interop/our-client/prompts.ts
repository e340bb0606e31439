import { expect, test } from "vitest";
import type { Talk } from "./talk.ts";

export function testPrompts({ since, client }: Talk): void {
  test("our client lists prompts with their arguments", async () => {
    expect(await client().prompts.list().all()).toEqual([
      {
        name: "greet",
        title: "Greet somebody",
        description: "A greeting in a language",
        arguments: [
          { name: "name", description: "Who is greeted", required: true },
          { name: "language", required: true },
        ],
      },
      { name: "picture", description: "Brings an image" },
    ]);
  });

  test("our client gets a prompt, filled in", async () => {
    const greeting = await client().prompts.get("greet", { name: "Ann", language: "english" });
    expect(greeting.messages).toEqual([
      { role: "user", content: { type: "text", text: "Greet Ann in english." } },
    ]);
    const picture = await client().prompts.get("picture");
    expect(picture.messages).toEqual([
      { role: "user", content: { type: "image", data: "AQID", mimeType: "image/png" } },
    ]);
  });

  test("a prompt that is unknown or lacks an argument is an error", async () => {
    await expect(client().prompts.get("no-such-prompt")).rejects.toMatchObject({ wireCode: -32602 });
    await expect(client().prompts.get("greet", { name: "Ann" })).rejects.toMatchObject({
      wireCode: -32602,
      message: expect.stringContaining("language"),
    });
  });

  test("arguments are completed, with those that are filled in already in mind", async () => {
    const ref = { type: "ref/prompt", name: "greet" } as const;
    const language = await client().complete(ref, { name: "language", value: "n" });
    expect(language).toEqual({ values: ["norwegian"], total: 1, hasMore: false });
    const context = { arguments: { language: "norwegian" } };
    const name = await client().complete(ref, { name: "name", value: "A" }, context);
    // Revisions before the context came do not get one.
    const values = since("2025-06-18") ? ["Anne", "Arne"] : [];
    expect(name).toEqual({ values, total: values.length, hasMore: false });
  });
}
